import { isInvited, type JoinReason, pair } from 'pagemcp'
import { inLanguage, language, languageField } from './shared/language.ts'
import { element, explanation, make, shared } from './shared/page.ts'
import { fill, load, say } from './shared/texts.ts'
import { texts as english, type StartTexts } from './texts/en.ts'
import { showTraffic } from './traffic.ts'
import { type Config, ways } from './ways.ts'

/** The timeout after which the gateway counts as unavailable. */
const answerTimeout = 2500 // ms

/** The order of the demos. Others follow, by name. */
const order = ['notes', 'trip', 'board', 'drop', 'world']

const texts = await load<StartTexts>('start', english)

type Standing = keyof typeof texts.state

function show(is: Standing, detail?: string) {
  const [title, text] = texts.state[is]
  element('state').hidden = false
  element('state').dataset.is = is
  element('state-title').textContent = title
  element('state-text').textContent = detail ?? text
  if (detail !== undefined) element('state-text').append(' ', explanation(''))
  element('again').hidden = is !== 'failed'
}

/** The gateway beside the server of this page; `undefined`: there is none. */
async function readConfig(): Promise<Config | undefined> {
  try {
    const response = await fetch('pagemcp/config.json', { cache: 'no-store' })
    return response.ok ? ((await response.json()) as Config) : undefined
  } catch {
    return undefined
  }
}

/** Where no gateway is, nothing is shown of it, unless a link of one has opened this page. */
async function join(config: Config | undefined) {
  const isExpected = config !== undefined || isInvited()
  if (isExpected) show('looking')
  const timer = setTimeout(() => isExpected && show('silent'), answerTimeout)
  try {
    await pair(config?.gateway)
    show('paired')
    if (config) showTraffic(config.gateway, texts)
  } catch (error) {
    const { reason, message } = error as { reason?: JoinReason; message: string }
    if (!isExpected) return
    if (reason === 'not-invited') show('unpaired')
    else if (reason === 'refused') show(isInvited() ? 'expired' : 'unpaired')
    else show('failed', message)
  } finally {
    clearTimeout(timer)
  }
}

function showDemos(names: readonly string[]) {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  element('demos').replaceChildren(...names.toSorted((a, b) => rank(a) - rank(b)).map(card))
}

function card(name: string): HTMLElement {
  const { title, text, sample } = texts.demoTexts[name] ?? { title: name, text: '', sample: [] }
  const link = make('a', 'sheet demo') as HTMLAnchorElement
  const path = `demo/${encodeURIComponent(name)}/`
  link.href = inLanguage(path)
  link.target = '_blank'
  const mark = document.createElement('img')
  mark.src = `${path}icon.svg`
  mark.alt = ''
  link.append(
    picture(sample),
    make('span', 'name', mark, make('strong', '', title)),
    make('span', 'soft', text),
    make('span', 'sr', ` (${shared.newTab})`),
  )
  return make('li', '', link)
}

/** A small picture of what is seen in a demo, in rows. It is decoration. */
function picture(sample: readonly string[]): HTMLElement {
  const rows = sample.length > 0 ? sample : ['', '', '']
  const drawn = make('span', 'picture', ...rows.map((row) => make('span', 'item', row)))
  drawn.ariaHidden = 'true'
  return drawn
}

/** The page, the assistant, and what goes between them. */
function showScene({ page, item, added, ask, reply }: StartTexts['scene']) {
  const row = (text: string, className = 'item') => make('span', className, text)
  element('scene').append(
    make('div', 'sheet', make('strong', '', page), row(item), row(added, 'item added')),
    make('div', 'wire'),
    make('div', 'chat', row(ask, 'item added'), row(reply)),
  )
}

/** One way to connect: a heading, what to paste, and a button that copies it. */
function showWays(config: Config) {
  element('ways').replaceChildren(
    ...ways(config, texts).map(({ title, hint, text }) => {
      const copy = make('button', 'copy', texts.copy) as HTMLButtonElement
      copy.type = 'button'
      copy.setAttribute('aria-label', say(texts.copyWay, { title }))
      copy.addEventListener('click', () => void copied(copy, code, text))
      const code = make('pre', '', make('code', '', text))
      const about = make('div', '', make('h3', '', title), make('p', 'soft', hint))
      return make('article', 'sheet way', make('div', 'row', about, copy), code)
    }),
  )
}

async function copied(button: HTMLButtonElement, code: HTMLElement, text: string) {
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = texts.copied
  } catch {
    getSelection()?.selectAllChildren(code) // not permitted: the text is selected, to be copied by keyboard
    button.textContent = texts.pressCopy
  }
  setTimeout(() => {
    button.textContent = texts.copy
  }, 2000)
}

fill({ ...shared, ...texts })
document.querySelector('meta[name=description]')?.setAttribute('content', texts.description)
element('language').replaceWith(languageField(shared.language))
element<HTMLAnchorElement>('playground').href = inLanguage('playground/')
if (language !== 'en') element<HTMLAnchorElement>('docs').href = `docs/${language}/`
showScene(texts.scene)

const config = await readConfig()
showDemos(config?.demos ?? order)
if (config) showWays(config)
else element('pending').replaceChildren(texts.noGateway.replaceAll('`', ''))
element('again').addEventListener('click', () => void join(config))
void join(config)
