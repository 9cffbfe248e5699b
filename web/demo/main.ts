import { isInvited, type JoinReason, pair } from 'pagemcp'
import { gatewayAddress } from './shared/gateway.ts'
import { type Config, ways } from './ways.ts'

/** The timeout after which the gateway counts as unavailable. */
const answerTimeout = 2500 // ms

/** Descriptions of the demos; others are shown by name. */
const demos: { readonly [name: string]: { title: string; text: string } } = {
  notes: {
    title: 'Notes',
    text: 'A notes app on IndexedDB. Assistants read its notes and get notified of your changes; you see what they read.',
  },
  trip: {
    title: 'Trip',
    text: 'A planner in React. Assistants read the plan, add stops while you watch, and ask before they remove one.',
  },
  tasks: {
    title: 'Tasks',
    text: 'A task list on Dexie. Assistants read tasks by number, state or day, and get notified of changes in any tab.',
  },
  reader: {
    title: 'Reader',
    text: 'An article. Assistants read its sections or your selection; the part that was read is highlighted, and your input stays here.',
  },
  world: {
    title: 'A small world',
    text: 'Files, a log, a table, a screen, the weather and an agent with a prompt: one of each kind of data, all changing.',
  },
  board: {
    title: 'Board',
    text: 'A board of sticky notes: each open tab is one. An assistant reads all of them through any one, and gets notified when tabs open and close.',
  },
  drop: {
    title: 'Drop',
    text: 'Drop files into this browser’s private file system. Assistants list and read them, and get notified of each change.',
  },
  conformance: {
    title: 'Conformance',
    text: 'The fixtures of the protocol’s official suite: prompts, tools, progress, questions to the client, and a log of requests.',
  },
}

type Standing = 'looking' | 'paired' | 'silent' | 'expired' | 'unpaired' | 'failed'

const standings: { readonly [is in Standing]: [title: string, text: string] } = {
  looking: ['Looking for the gateway', 'One moment.'],
  paired: [
    'This browser is paired',
    'The demos join the gateway by themselves, now and after every reload.',
  ],
  silent: [
    'The gateway does not answer',
    'Is pagemcp dev still running? This page goes on trying.',
  ],
  expired: [
    'This link has expired, or was used before',
    'Press Enter in the terminal where pagemcp dev runs, and open the link that it prints.',
  ],
  unpaired: [
    'This browser is not paired yet',
    'Open the link that pagemcp dev has printed in the terminal. Press Enter there for a new one.',
  ],
  failed: ['Pairing did not work', ''],
}

function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`index.html has no #${id}`)
  return found as T
}

function make(tag: string, className: string, ...children: (string | Node)[]): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.append(...children)
  return made
}

function show(is: Standing, detail?: string) {
  const [title, text] = standings[is]
  element('state').dataset.is = is
  element('state-title').textContent = title
  element('state-text').textContent = detail ?? text
  element('again').hidden = is !== 'failed'
}

async function join() {
  show('looking')
  const timer = setTimeout(() => show('silent'), answerTimeout)
  try {
    await pair(await gatewayAddress('./'))
    show('paired')
  } catch (error) {
    const { reason, message } = error as { reason?: JoinReason; message: string }
    if (reason === 'not-invited') show('unpaired')
    else if (reason === 'refused') show(isInvited() ? 'expired' : 'unpaired')
    else show('failed', message)
  } finally {
    clearTimeout(timer)
  }
}

function showDemos(names: readonly string[]) {
  element('demos').replaceChildren(
    ...names.map((name) => {
      const { title, text } = demos[name] ?? { title: name, text: '' }
      const link = make('a', 'demo') as HTMLAnchorElement
      link.href = `demo/${encodeURIComponent(name)}/`
      link.target = '_blank'
      const icon = document.createElement('img')
      icon.src = `${link.href}icon.svg`
      icon.alt = ''
      link.append(
        icon,
        make('strong', '', title),
        make('span', 'about', text),
        make('span', 'sr', ' (opens in a new tab)'),
      )
      return make('li', '', link)
    }),
  )
}

/** One way to connect: a heading, what to paste, and a button that copies it. */
function showWays(config: Config) {
  element('ways').replaceChildren(
    ...ways(config).map(({ title, hint, text }) => {
      const copy = make('button', 'copy', 'Copy') as HTMLButtonElement
      copy.type = 'button'
      copy.setAttribute('aria-label', `Copy: ${title}`)
      copy.addEventListener('click', () => void copied(copy, code, text))
      const code = make('pre', '', make('code', '', text))
      return make('article', 'way', make('h3', '', title), make('p', 'hint', hint), copy, code)
    }),
  )
}

async function copied(button: HTMLButtonElement, code: HTMLElement, text: string) {
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
  } catch {
    getSelection()?.selectAllChildren(code) // not permitted: the text is selected, to be copied by keyboard
    button.textContent = 'Press Ctrl+C'
  }
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 2000)
}

async function configure() {
  try {
    const response = await fetch('pagemcp/config.json')
    if (!response.ok) throw new Error(`status ${response.status}`)
    const config = (await response.json()) as Config
    showDemos(config.demos)
    showWays(config)
  } catch {
    showDemos(Object.keys(demos))
    element('pending').textContent = 'The terminal where pagemcp dev runs shows how.'
  }
}

element('again').addEventListener('click', () => void join())
void join()
void configure()
