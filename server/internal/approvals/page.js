// The permission prompts of one assistant. A decision is a trusted click on a question that has stood still for half a
// second; nothing else answers one.
import { filled, languageOf, languages } from './texts.js'

const clickGuard = 500 // ms
const retries = 3
const retryAfter = 1000 // ms
const stored = 'pagemcp.approvals' // in sessionStorage: the secret of this tab, for a reload

const language = languageOf(navigator.languages)
const texts = languages[language]
const part = (id) => document.getElementById(id)
const items = new Map() // by the number of the question
let assistant = texts.unnamed

function element(name, text, className = '', children = []) {
  const made = document.createElement(name)
  made.textContent = text
  made.className = className
  made.append(...children)
  return made
}

function post(path, secret, body = {}) {
  return fetch(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** The secret of this tab: from the link, which is good once, or from before a reload; undefined if there is none. */
async function enter() {
  const [, link] = /^#approve=(.*)$/.exec(location.hash) ?? []
  history.replaceState(null, '', location.pathname)
  try {
    if (link !== undefined) {
      const response = await post('/tab', link)
      if (response.ok) {
        const { secret } = await response.json()
        sessionStorage.setItem(stored, secret)
        return secret
      }
    }
    return sessionStorage.getItem(stored) ?? undefined
  } catch {
    return undefined
  }
}

/** Shows the questions until the process ends. */
async function follow(secret) {
  for (let failures = 0; failures < retries; failures++) {
    try {
      const response = await post('/questions', secret)
      if (response.status === 403) return texts.expired
      if (response.ok) failures = 0
      await readLines(response.body, (line) => show(JSON.parse(line), secret))
    } catch {
      // the connection has ended
    }
    show({ assistant, questions: [] }, secret)
    status(texts.ended)
    await new Promise((resolve) => setTimeout(resolve, retryAfter))
  }
  return texts.ended
}

async function readLines(body, each) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (let rest = ''; ; ) {
    const { value, done } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop()
    for (const line of lines) each(line)
  }
}

function show(state, secret) {
  assistant = state.assistant || texts.unnamed
  const open = new Set(state.questions.map(({ number }) => number))
  const before = places()
  for (const [number, item] of items) {
    if (open.has(number)) continue
    remove(item)
    if (!item.isSent) status(filled(texts.gone, item.question))
  }
  for (const question of state.questions) {
    if (items.has(question.number)) continue
    add(question, secret)
    status(filled(texts.asked, question))
  }
  if (items.size === 0 && part('status').textContent === '') status(texts.none)
  const after = places()
  for (const [number, item] of items) if (after.get(number) !== before.get(number)) arm(item)
  const title = filled(texts.title, { assistant })
  part('title').textContent = title
  document.title = items.size > 0 ? `(${items.size}) ${title}` : title
  const [first] = items.values()
  if (document.activeElement === document.body) first?.deny.focus({ preventScroll: true })
}

/** Where the buttons are. */
function places() {
  const place = ({ deny }) => {
    const { x, y } = deny.getBoundingClientRect()
    return `${x + scrollX} ${y + scrollY}`
  }
  return new Map([...items].map(([number, item]) => [number, place(item)]))
}

function arm(item) {
  item.armed = performance.now() + clickGuard
}

function armAll() {
  for (const item of items.values()) arm(item)
}

function add(question, secret) {
  const { number, tool, description, preview, complete, ageSeconds } = question
  const heading = element('h2', tool)
  heading.id = `question-${number}`
  const age = element('p', '', 'age')
  const deny = button(texts.deny, 'deny')
  const item = { question, deny, age, began: performance.now() - ageSeconds * 1000 }
  const buttons = element('div', '', 'buttons', [deny])
  decideBy(item, deny, 'deny', secret)
  const body = [element('div', '', 'head', [heading, age])]
  if (description !== '') {
    const text = element('p', description, 'description')
    text.dir = 'auto'
    body.push(element('p', texts.description, 'label'), text)
  }
  body.push(element('p', texts.input, 'label'), element('pre', preview))
  if (complete) {
    const allow = button(texts.allow, 'allow')
    decideBy(item, allow, 'allow', secret)
    buttons.append(allow)
  } else {
    body.push(element('p', texts.cut, 'cut'))
  }
  const group = element('div', '', '', [...body, buttons])
  group.setAttribute('role', 'group')
  group.setAttribute('aria-labelledby', heading.id)
  item.root = element('li', '', '', [group])
  part('questions').append(item.root)
  items.set(number, item)
  arm(item)
  showAge(item)
}

function button(text, className) {
  const made = element('button', text, className)
  made.type = 'button'
  return made
}

function decideBy(item, made, behavior, secret) {
  made.addEventListener('click', async (event) => {
    if (!event.isTrusted || item.isSent || performance.now() < item.armed) return
    item.isSent = true
    for (const one of item.root.querySelectorAll('button'))
      one.setAttribute('aria-disabled', 'true')
    const response = await post('/answer', secret, {
      question: item.question.number,
      behavior,
    }).catch(() => undefined)
    const outcomes = { 204: behavior === 'allow' ? texts.allowed : texts.denied, 409: texts.gone }
    status(filled(outcomes[response?.status] ?? texts.failed, item.question))
    remove(item)
  })
}

/** Removes a question. The focus moves to the next one, or to the title. */
function remove(item) {
  const hadFocus = item.root.contains(document.activeElement)
  item.root.remove()
  items.delete(item.question.number)
  armAll()
  if (!hadFocus) return
  const [next] = items.values()
  const to = next?.deny ?? part('title')
  to.focus({ preventScroll: true })
}

function status(text) {
  part('status').textContent = text
}

function showAge({ age, began }) {
  const seconds = Math.floor((performance.now() - began) / 1000)
  const ago = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  age.textContent =
    seconds < 60 ? ago.format(0, 'second') : ago.format(-Math.floor(seconds / 60), 'minute')
}

document.documentElement.lang = language
part('note').textContent = texts.note
setInterval(() => {
  for (const item of items.values()) showAge(item)
}, 10_000)
for (const type of ['focus', 'resize']) addEventListener(type, armAll)
document.addEventListener('visibilitychange', armAll)
addEventListener(
  'keydown',
  ({ key, repeat }) => {
    if (repeat || (key.length === 1 && key !== ' ')) armAll() // meant for another window, or held down
  },
  { capture: true },
)
addEventListener('hashchange', () => location.reload()) // another link
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())

const secret = await enter()
status(secret === undefined ? texts.expired : await follow(secret))
