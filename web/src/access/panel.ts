/** The custom element `<page-mcp>`: who reads this page, what they may do, and the buttons that end it. */

import de from '../../texts/panel.de.json' with { type: 'json' }
import ja from '../../texts/panel.ja.json' with { type: 'json' }
import zhHans from '../../texts/panel.zh-Hans.json' with { type: 'json' }
import { element, guardClicks, isFramed, styleSheet } from '../dialog-parts.ts'
import type { AssistantAccess, Mode, PageAccess } from '../page-access.ts'
import { fill, type Language, languageOf, plainLabel, translated } from '../translation.ts'

/** What the element needs of an engine: `start` returns it. */
export interface AccessHost {
  readonly access: PageAccess
  on(type: 'access', listener: () => void): () => void
}

/** How long an assistant counts as active after a use, ms. */
const activeTime = 30_000

/** Relative times and counts of the day change without an event: how often the element looks, ms. */
const lookTime = 10_000

/** The most of a name that is shown, UTF-16 code units. */
const maxName = 64

/** The most names in the summary. */
const maxNames = 2

/** Principals of a gateway that knows no name, and the one that the engine uses for them. */
const unnamed = ['unnamed', 'token', 'stdio', 'anyone', '']

const tag = 'page-mcp'

/**
 * Defines the element `<page-mcp>` for an engine; another call connects it with another engine. It is a `<details>`: its
 * summary names the assistants that use the page at this moment, and it contains the list of assistants, with their rights
 * and use, and buttons to stop and to pause them. The attribute `open` shows the list at once.
 *
 * ```ts
 * const mcp = start({ name: 'notes', access: 'ask' })
 * defineAccess(mcp)
 * document.querySelector('footer').append(document.createElement('page-mcp'))
 * ```
 *
 * Its language is `lang` of the element or of an ancestor: `en`, `de`, `ja` or `zh-Hans`. It has the font and the colours of
 * its place.
 */
export function defineAccess(mcp: AccessHost): void {
  if (customElements.get(tag) === undefined) customElements.define(tag, elementClass())
  const defined = customElements.get(tag) as ReturnType<typeof elementClass> // of another copy of this module, perhaps
  defined.use(mcp)
}

/** A class, so that a module that a server imports needs no HTMLElement. */
function elementClass() {
  const connected = new Set<{ renew(): void }>()
  let engine: AccessHost | undefined
  return class extends HTMLElement {
    static use(mcp: AccessHost): void {
      engine = mcp
      for (const one of connected) one.renew()
    }

    #root = this.attachShadow({ mode: 'open' })
    #stop = new AbortController()

    connectedCallback(): void {
      this.#root.adoptedStyleSheets = [styleSheet(style)]
      connected.add(this)
      this.renew()
    }

    disconnectedCallback(): void {
      connected.delete(this)
      this.#stop.abort()
    }

    renew(): void {
      this.#stop.abort()
      this.#stop = new AbortController()
      if (engine) showPanel(this, this.#root, engine, this.#stop.signal)
    }
  }
}

/**
 * The name of an assistant for its user, on one line: without characters that reorder or hide text, and at most 64
 * UTF-16 code units. Identities without a name, such as `token`, get words.
 *
 * @param assistant - as of `mcp.access.grants()`
 * @param language - a tag of BCP 47; texts are in English, German, Japanese and Chinese. Default: that of the browser
 */
export function assistantName(assistant: string, language: string = navigator.language): string {
  return nameOf(assistant, textsIn(languageOf([language])))
}

function nameOf(assistant: string, texts: Texts): string {
  if (unnamed.includes(assistant)) {
    const hasWay = assistant === 'token' || assistant === 'stdio'
    return hasWay ? fill(texts.unnamedBy, { way: assistant }) : texts.unnamed
  }
  if (assistant === 'webmcp') return texts.browser
  return plainLabel(assistant.replace(/^client:/, ''), maxName) || texts.unnamed
}

/** Fills a shadow root, until the signal aborts. */
function showPanel(host: HTMLElement, root: ShadowRoot, mcp: AccessHost, signal: AbortSignal) {
  const { access } = mcp
  const clicks = guardClicks(signal)
  const rows = new Map<string, ReturnType<typeof assistantRow>>()
  let language = languageAt(host)
  let texts = textsIn(language)
  let timer: ReturnType<typeof setTimeout> | undefined

  const label = element('span', { role: 'status' })
  const summary = element('summary', {}, label)
  const status = element('p', { role: 'status' })
  const problem = element('p', { role: 'alert', className: 'problem' })
  const list = element('ul', {})
  const note = element('p', { className: 'soft' })

  /** Runs what a click means, and says if it fails. */
  const act = async (action: () => Promise<void>) => {
    problem.textContent = ''
    try {
      await action()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      problem.textContent = fill(texts.failed, { error: message.slice(0, 200) })
      globalThis.reportError?.(error)
    }
  }
  /**
   * A button that ends access, and gives it back while it `gives`: then it takes clicks that the user has meant alone, and none in
   * a foreign frame. It stays one element, so that the focus is not lost.
   */
  const toggle = (end: () => Promise<void>, giveBack: () => Promise<void>) => {
    let gives = false
    const button = element('button', { type: 'button' })
    button.addEventListener('click', (event) => {
      if (!gives) void act(end)
      else if (clicks.takes(event)) void act(giveBack)
    })
    const show = (next: boolean, text: string, name = text) => {
      if (next && !gives) clicks.arm()
      gives = next
      setText(button, text)
      button.ariaLabel = name
      button.disabled = next && isFramed()
    }
    return { button, show }
  }
  const pause = toggle(
    () => access.pause(),
    () => access.resume(),
  )
  const stopAll = element('button', { type: 'button' })
  stopAll.addEventListener('click', () => act(() => access.revoke()))
  const buttons = element('div', { className: 'buttons' }, pause.button, stopAll)
  const details = element(
    'details',
    { open: host.hasAttribute('open') },
    summary,
    element('section', {}, status, buttons, problem, list, note),
  )
  root.replaceChildren(details)

  const show = (all: readonly AssistantAccess[]) => {
    const now = Date.now()
    const active = all.filter(({ lastUsed = 0 }) => now - lastUsed < activeTime)
    const names = active.map(({ assistant }) => nameOf(assistant, texts))
    const further = names.length > maxNames ? ` +${names.length - maxNames}` : ''
    const reading = { names: names.slice(0, maxNames).join(', ') + further }
    setText(label, names.length > 0 ? fill(texts.reading, reading) : texts.title)
    details.lang = language
    details.classList.toggle('active', names.length > 0)
    const { mode, pausedUntil } = access
    const isPaused = pausedUntil !== undefined && pausedUntil > now
    const paused = isPaused && fill(texts.paused, { time: moment(pausedUntil, language) })
    setText(status, paused || (all.length > 0 ? texts[mode] : `${texts[mode]} ${texts.none}`))
    pause.show(isPaused, isPaused ? texts.resume : texts.pause)
    setText(stopAll, texts.stopAll)
    stopAll.disabled = all.every(isStopped)
    setText(note, texts.provider)
    for (const [assistant, row] of rows) {
      if (all.some((one) => one.assistant === assistant)) continue
      row.item.remove()
      rows.delete(assistant)
    }
    for (const one of all) {
      const { assistant } = one
      // Rows keep their places: what the user is about to click must not move.
      const row = rows.get(assistant) ?? assistantRow(list)
      rows.set(assistant, row)
      row.update(one)
    }
  }
  const assistantRow = (list: HTMLElement) => {
    let assistant = ''
    let shown = ''
    const title = element('bdi', { className: 'name' })
    const lines = element('div', { className: 'soft' })
    const forget = () => access.forget(assistant)
    const change = toggle(() => access.revoke(assistant), forget)
    const again = toggle(forget, forget)
    const buttons = element('div', { className: 'buttons' }, change.button, again.button)
    const item = element('li', {}, element('div', {}, title, lines), buttons)
    list.append(item)
    return {
      item,
      update(one: AssistantAccess) {
        assistant = one.assistant
        const name = nameOf(assistant, texts)
        const isEnded = isStopped(one)
        setText(title, name)
        title.classList.toggle('stopped', isEnded)
        const said = linesOf(one, access.mode, texts, language)
        if (shown !== said.join('\n')) {
          lines.replaceChildren(...said.map((text) => element('div', {}, text)))
        }
        shown = said.join('\n')
        const ask = access.mode === 'open' ? texts.allowAgain : texts.askAgain
        const action = isEnded ? ask : texts.stop
        change.show(isEnded, action, fill(texts.about, { action, name }))
        const isPart = !isEnded && one.grants.some(({ allow }) => !allow)
        again.show(isPart, ask, fill(texts.about, { action: ask, name }))
        again.button.hidden = !isPart
      },
    }
  }

  const update = async () => {
    clearTimeout(timer)
    language = languageAt(host)
    texts = textsIn(language)
    try {
      const all = await access.grants()
      if (!signal.aborted) show(all)
    } catch (error) {
      globalThis.reportError?.(error) // read again at the next change
    } finally {
      clearTimeout(timer)
      if (!signal.aborted) timer = setTimeout(update, lookTime)
    }
  }
  const ignore = mcp.on('access', update)
  const observer = new MutationObserver(() => void update())
  for (const one of [document.documentElement, host]) {
    observer.observe(one, { attributeFilter: ['lang'] })
  }
  signal.addEventListener('abort', () => {
    ignore()
    observer.disconnect()
    clearTimeout(timer)
  })
  void update()
}

/** Gives an element a text, unless it has it: live regions would read it out again. */
function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

/** The decision about a right as a whole, not about single tools. */
const grantOf = ({ grants }: AssistantAccess, right: 'read' | 'act') =>
  grants.find((grant) => grant.right === right && grant.tool === undefined)

/** It may do nothing. */
const isStopped = (one: AssistantAccess) =>
  (['read', 'act'] as const).every((right) => grantOf(one, right)?.allow === false)

/** What is known of an assistant, a line each. */
function linesOf(one: AssistantAccess, mode: Mode, texts: Texts, language: Language): string[] {
  const claim = plainLabel(one.callsItself ?? '', maxName)
  const without = { ask: texts.asks, open: texts.isOpen, policy: texts.decides }[mode]
  const line = (label: string, grant: AssistantAccess['grants'][number] | undefined) => {
    const lasts = grant && fill(texts[grant.lasts], { time: moment(grant.until, language) })
    return `${label}: ${grant?.allow === false ? texts.denied : (lasts ?? without)}`
  }
  const count = (of: number) => of.toLocaleString(language)
  const use = { reads: count(one.readsToday), calls: count(one.callsToday) }
  return [
    ...(claim === '' || claim === one.assistant ? [] : [fill(texts.callsItself, { name: claim })]),
    line(texts.read, grantOf(one, 'read')),
    line(texts.act, grantOf(one, 'act')),
    ...one.grants.flatMap((grant) =>
      grant.tool === undefined
        ? []
        : [line(fill(texts.tool, { tool: plainLabel(grant.tool, maxName) }), grant)],
    ),
    `${texts.last}: ${one.lastUsed === undefined ? texts.never : moment(one.lastUsed, language)}`,
    `${texts.today}: ${fill(texts.usage, use)}`,
  ]
}

/** A time, with its day unless that is today. */
function moment(time: number, language: Language): string {
  const date = new Date(time)
  const isToday = date.toDateString() === new Date().toDateString()
  return date.toLocaleString(language, {
    ...(!isToday && { dateStyle: 'medium' }),
    timeStyle: 'short',
    hourCycle: 'h23',
  })
}

/** The language of an element: `lang` of it or of an ancestor, else that of the browser. */
function languageAt(element: Element): Language {
  const labelled = element.closest('[lang]')
  if (labelled !== null) return languageOf([labelled.getAttribute('lang') ?? ''])
  const root = element.getRootNode()
  if (root instanceof ShadowRoot) return languageAt(root.host)
  return languageOf([navigator.language])
}

const style = `
:host { display: block; line-height: 1.45; overflow-wrap: anywhere }
:host([hidden]) { display: none }
summary { padding-block: .75em; min-height: 44px; box-sizing: border-box; cursor: pointer }
.active summary span::before { content: ""; display: inline-block; width: .625em; height: .625em; margin-inline-end: .5em;
  border-radius: 50%; background: light-dark(#1d7a3a, #6fd58d) }
p { margin: .5em 0 }
ul { margin: 0; padding: 0; list-style: none }
li { display: flex; flex-wrap: wrap; gap: .5em; justify-content: space-between; align-items: start; padding: .625em 0;
  border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent) }
.soft { font-size: .875em; opacity: .8 }
.name { font-weight: 600 }
.stopped { text-decoration: line-through }
.problem { font-weight: 600 }
.buttons { display: flex; flex-wrap: wrap; gap: .5em; margin-block: .75em }
button { min-height: 44px; min-width: 44px; padding: .375em .875em; border: 1px solid; border-radius: .5em; background: none;
  color: inherit; font: inherit; cursor: pointer }
button:disabled { opacity: .5; cursor: default }
:focus-visible { outline: 2px solid; outline-offset: 2px }
`

// The texts of `<page-mcp>`; `{name}` stands for a value.

export const en = {
  title: 'Access by assistants',
  reading: 'Being read: {names}',
  // What holds in each mode.
  ask: 'Assistants ask before they use this page.',
  open: 'This page is open to the assistants of its gateway: they do not ask first.',
  policy: 'The app decides which assistants may use this page.',
  paused: 'Paused until {time}: no assistant gets anything of this page.',
  provider: 'What assistants read goes to the provider of their model.',
  none: 'No assistant has used this page yet.',
  // What holds for a right.
  read: 'Read',
  act: 'Act',
  tool: 'Tool {tool}',
  session: 'this time: until {time}',
  always: 'until {time}',
  denied: 'not allowed',
  asks: 'asks first',
  isOpen: 'open to all',
  decides: 'the app decides',
  last: 'Last use',
  never: 'never',
  today: 'Today',
  usage: 'Reads: {reads} · Calls: {calls}',
  unnamed: 'Unnamed assistant',
  unnamedBy: 'Unnamed assistant ({way})',
  browser: 'Assistant of the browser',
  callsItself: 'Calls itself “{name}” (not verified)',
  stop: 'Stop',
  stopAll: 'Stop all',
  askAgain: 'Ask again',
  allowAgain: 'Allow again',
  pause: 'Pause for an hour',
  resume: 'Resume',
  // The accessible name of a button that concerns an assistant.
  about: '{action}: {name}',
  failed: 'This did not work: {error}',
}

export type Texts = typeof en

const translations = { en, de, ja, 'zh-Hans': zhHans }

export const textsIn = (language: Language): Texts => translated(en, translations[language])
