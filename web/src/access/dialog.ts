/**
 * The dialog by which the user decides about the page: whether an assistant may read an app or act in it, and whether the
 * page joins the gateway of a link. It is in the top layer and in a closed shadow root; it takes no click in its first half
 * second, nor while the user clicks or types without a pause of that length, none that a script has made, and none while
 * something covers it. Its first focus refuses; Escape and the close button decide nothing.
 *
 * Scripts of the page have the same rights as this dialog, so it does not protect from them: a script may change the decisions
 * in storage, or cover the dialog by the top layer of a closed shadow root, which nothing outside can find. It protects
 * from what is shown around the page, over it, and at its place.
 *
 * A file of its own in the package, `dialog.js`, so that a document shows one at a time.
 */

import de from '../../texts/consent.de.json' with { type: 'json' }
import ja from '../../texts/consent.ja.json' with { type: 'json' }
import zhHans from '../../texts/consent.zh-Hans.json' with { type: 'json' }
import type { GatewayQuestion } from '../credentials.ts'
import { element, guardClicks, isFramed, styleSheet } from '../dialog-parts.ts'
import { type Language, languageOf } from '../translation.ts'
import { type Asked, type Choice, clean, sessionTime } from './decisions.ts'

/** How often the dialog returns to the top after something has covered or removed it. */
const maxReturns = 5

/** How often the dialog looks whether it is still seen, ms. */
const lookInterval = 250

/** How long a secret of a gateway is good, ms: there is nothing to decide after that. */
const gatewayTime = 120_000

/** Names are isolated: their direction does not change that of the sentence. */
type Sentence = ReturnType<typeof filled>

/** What a dialog says. */
export interface Shown<C extends string> {
  readonly language: string
  readonly title: Sentence
  readonly lines: readonly Sentence[]
  readonly arguments?: { readonly label: string; readonly text: string }
  /** Below the rest. */
  readonly notes: readonly Sentence[]
  /** With their labels, in the order of the buttons; the last one refuses, and has the focus. */
  readonly choices: readonly (readonly [C, string])[]
  readonly close: string
}

/** The page that asks, for its user. */
export interface About {
  readonly app: string
  readonly title: string | undefined
  readonly origin: string
  /** Language tags, most wanted first. */
  readonly wanted: readonly string[]
}

/** The names that a gateway gives to assistants without a name. */
const unnamed = ['unnamed', 'token', 'stdio', 'anyone']

/** The question about an assistant, in the user's language. */
export function questionOf(asked: Asked, about: About, now: number): Shown<Choice> {
  const { assistant, callsItself, right, tool, method, what, question } = asked
  const { app, title, origin } = about
  const language = languageOf(about.wanted)
  const texts = textsIn(language)
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'short', timeStyle: 'short' })
  const isUnnamed = unnamed.includes(assistant)
  const isOnce = tool?.destructive === true
  const names = {
    assistant: nameOf(assistant, isUnnamed, texts),
    app: clean(title || app),
    id: clean(title && title !== app ? `${title} (${app})` : app),
    origin,
    name: callsItself ?? '',
    method,
    what: what ?? '',
    tool: tool?.title ?? tool?.name ?? '',
    title: tool?.title ?? tool?.name ?? '',
    toolName: tool?.name ?? '',
    time: time.format(now + sessionTime),
  }
  const say = (key: keyof Texts) =>
    filled(texts[key], key === 'tool' ? { ...names, name: names.toolName } : names)
  const lines = (of: { readonly [key in keyof Texts]?: boolean }) =>
    (Object.keys(of) as (keyof Texts)[]).filter((key) => of[key]).map(say)
  const choices = (...of: (readonly [Choice, keyof Texts])[]) =>
    of.map(([choice, key]) => [choice, texts[key]] as const)
  return {
    language,
    title: say(isOnce ? 'once' : right),
    lines: [
      ...(question ? [[{ text: question, isName: true }]] : []),
      ...lines({
        app: true,
        unnamedMeans: isUnnamed,
        callsItself: callsItself !== undefined && callsItself !== assistant,
        readMeans: right === 'read' && !isOnce,
        actMeans: right === 'act' && !isOnce,
        onceMeans: isOnce,
        tool: tool !== undefined,
        wants: tool === undefined && what !== undefined,
      }),
    ],
    ...(asked.arguments !== undefined && {
      arguments: { label: texts.arguments, text: asked.arguments },
    }),
    notes: lines({
      untilSession: !isOnce,
      untilAlways: !isOnce,
      untilToolSession: isOnce,
    }),
    choices: isOnce
      ? choices(['once', 'allowOnce'], ['tool-session', 'toolSession'], ['deny', 'deny'])
      : choices(['session', 'thisTime'], ['always', 'always'], ['deny', 'deny']),
    close: texts.close,
  }
}

/** How the assistant is named in a sentence. */
function nameOf(assistant: string, isUnnamed: boolean, texts: Texts): string {
  if (isUnnamed) return texts.unnamed
  if (assistant === 'webmcp') return texts.browser
  if (/^https?:\/\//.test(assistant)) return texts.window.replace('{origin}', () => assistant)
  return assistant
}

/**
 * Asks the user whether this page may change to the gateway that a link invites to. Assistants at the gateway read what the
 * page serves and call its tools, so a link alone must not decide that. In doubt the page keeps its gateway.
 *
 * @param signal - takes the question away; the answer is then false
 */
export async function confirmGateway(
  { invited, paired }: GatewayQuestion,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const known =
    paired === invited
      ? 'The page is paired with another gateway at that address.'
      : 'The page is paired with the gateway at {paired}.'
  const names = { origin: self.origin, invited, paired }
  const say = (text: string) => filled(text, names)
  const shown = {
    language: 'en',
    title: say('Connect this page to another gateway?'),
    lines: [
      say('A link asks {origin} to join a gateway that it has no key for: {invited}'),
      say(known),
      say(
        'Assistants at the new gateway could read what this page shares and use its tools. Continue only if you opened a link that your own gateway has just printed.',
      ),
    ],
    notes: [],
    choices: [
      ['change', 'Connect to the new gateway'],
      ['keep', 'Keep the present gateway'],
    ] as const,
    close: textsIn('en').close,
  }
  const late = AbortSignal.timeout(gatewayTime)
  return (await showDialog(shown, signal ? AbortSignal.any([signal, late]) : late)) === 'change'
}

let last: Promise<unknown> = Promise.resolve()

/** Shows a dialog until it is answered, or the signal is aborted; one after the other. */
export function showDialog<C extends string>(
  shown: Shown<C>,
  signal: AbortSignal,
): Promise<C | 'dismissed' | 'ended' | 'unshown'> {
  const chosen = last.then(() => show(shown, signal))
  last = chosen.catch(() => {})
  return chosen
}

function show<C extends string>(
  shown: Shown<C>,
  signal: AbortSignal,
): Promise<C | 'dismissed' | 'ended' | 'unshown'> {
  const { document } = globalThis
  if (document === undefined || typeof HTMLDialogElement !== 'function' || isFramed()) {
    return Promise.resolve('unshown')
  }
  const { dialog, buttons } = build(shown)
  const host = document.createElement('pagemcp-question')
  const root = host.attachShadow({ mode: 'closed' })
  root.adoptedStyleSheets = [styleSheet(style)]
  root.append(dialog)
  return new Promise((resolve) => {
    const over = new AbortController()
    const on = (target: EventTarget, type: string, act: (event: Event) => void) =>
      target.addEventListener(type, act, { capture: true, signal: over.signal })
    const clicks = guardClicks(over.signal)
    let returns = 0
    let below = new Set<Element>()

    const settle = (choice: C | 'dismissed' | 'ended' | 'unshown') => {
      over.abort()
      clearInterval(looking)
      host.remove()
      resolve(choice)
    }
    const open = () => {
      if (!host.isConnected) document.documentElement.append(host)
      // Stronger than all rules of the page. The dialog inherits nothing.
      host.style.cssText = 'display: block !important; content-visibility: visible !important'
      below = inTopLayer()
      if (dialog.open) dialog.close()
      dialog.showModal()
      dialog.querySelector<HTMLElement>('[autofocus]')?.focus()
      clicks.arm()
    }
    /** Shows it again, on top of all else. */
    const returnToTop = () => {
      if (++returns > maxReturns) return settle('unshown')
      open()
    }
    const isOnTop = (part: Element) => {
      if (!host.isConnected || !dialog.matches(':modal')) return false
      for (const one of inTopLayer()) if (!below.has(one)) return false
      const { left, top, width, height } = part.getBoundingClientRect()
      if (width < 1 || height < 1) return false
      return document.elementFromPoint(left + width / 2, top + height / 2) === host
    }

    for (const [choice, made] of buttons) {
      on(made, 'click', (event) => {
        if (!clicks.takes(event)) return
        if (isOnTop(made)) settle(choice)
        else returnToTop()
      })
    }
    on(dialog, 'cancel', (event) => {
      if (!clicks.isArmed()) event.preventDefault() // it was meant for the page
    })
    on(dialog, 'close', () => {
      if (!dialog.open) settle('dismissed') // else it was shown again
    })
    on(dialog, 'keydown', (event) => {
      const { key } = event as KeyboardEvent
      if (key.length === 1 && key !== ' ') clicks.arm() // the user is typing a text
    })
    for (const type of ['focus', 'visibilitychange']) {
      on(window, type, ({ target }) => {
        if (target === window || target === document) clicks.arm()
      })
    }
    for (const type of ['beforetoggle', 'toggle', 'fullscreenchange']) {
      on(window, type, ({ target }) => below.delete(target as Element)) // it comes above
    }
    on(signal, 'abort', () => settle('ended'))

    const looking = setInterval(() => {
      if (document.visibilityState === 'visible' && !isOnTop(dialog)) returnToTop()
    }, lookInterval)
    if (signal.aborted) settle('ended')
    else open()
  })
}

/** Elements of the page that are in the top layer, except in closed shadow roots. */
function inTopLayer(): Set<Element> {
  return new Set(document.querySelectorAll(':is(:popover-open, :modal, :fullscreen)')) // unknown ones are ignored
}

function build<C extends string>(shown: Shown<C>) {
  const sentence = (parts: Sentence) =>
    parts.map(({ text, isName }) => (isName ? element('bdi', {}, text) : text))
  const line = (parts: Sentence) => element('p', {}, ...sentence(parts))
  const { arguments: given, choices } = shown
  const buttons = new Map<C | 'dismissed', HTMLButtonElement>()
  for (const [i, [choice, label]] of choices.entries()) {
    const refuses = i === choices.length - 1
    buttons.set(choice, element('button', { type: 'button', autofocus: refuses }, label))
  }
  const close = element(
    'button',
    { type: 'button', className: 'close', ariaLabel: shown.close },
    '×',
  )
  const about = element('div', { id: 'about' }, ...shown.lines.map(line))
  const body = element(
    'div',
    { className: 'body' },
    element('h2', { id: 'title' }, ...sentence(shown.title)),
    about,
    ...(given
      ? [
          element('p', {}, given.label),
          element('pre', { tabIndex: 0, role: 'region', ariaLabel: given.label }, given.text),
        ]
      : []),
    element('div', { id: 'notes' }, ...shown.notes.map(line)),
  )
  const row = element('div', { className: 'buttons' }, ...buttons.values())
  const dialog = element('dialog', { lang: shown.language, dir: 'ltr' }, body, row, close)
  dialog.setAttribute('aria-labelledby', 'title')
  dialog.setAttribute('aria-describedby', 'about notes')
  buttons.set('dismissed', close)
  return { dialog, buttons }
}

/** Sizes are in `em`, since `rem` is the page's. */
const style = `
:host { all: initial }
dialog { all: initial; box-sizing: border-box; position: fixed; inset: 0; margin: auto; width: min(34em, calc(100vw - 2em)); height: fit-content;
  max-height: calc(100vh - 2em); flex-direction: column; gap: 1em; padding: 1.25em; border: 1px solid #8888; border-radius: .75em;
  background: Canvas; color: CanvasText; color-scheme: light dark; font: medium/1.5 system-ui, sans-serif; overflow-wrap: break-word }
dialog[open] { display: flex }
dialog:not([open]) { display: none }
dialog::backdrop { background: #0009 }
.body { overflow: auto; min-height: 3em }
h2 { margin: 0 0 .75em; padding-right: 2em; font-size: 1.125em }
p, pre { margin: 0 0 .75em }
bdi { font-weight: 600; overflow-wrap: anywhere }
#notes p { margin: 0 0 .25em; font-size: .875em }
pre { max-height: 10em; overflow: auto; padding: .5em; border: 1px solid #8888; border-radius: .5em;
  font: .875em/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
:focus-visible { outline: 3px solid light-dark(#0b57d0, #a8c7fa); outline-offset: 2px }
.buttons { display: flex; flex-wrap: wrap; gap: .5em }
button { font: inherit; padding: .5em .875em; border: 1px solid #8888; border-radius: .5em; background: ButtonFace;
  color: ButtonText; cursor: pointer }
[autofocus] { font-weight: 600 }
.close { position: absolute; top: .75em; right: .75em; min-width: 2.25em; padding: .25em; border-color: transparent; background: none; color: inherit }
@media (max-width: 30em) { .buttons { flex-direction: column } }
`

// What the question about an assistant says. `{x}` stands for a name, which becomes a text of its own: names never become
// HTML, and their direction does not change that of the sentence.

export const en = {
  read: 'Allow {assistant} to read {app}?',
  act: 'Allow {assistant} to use the tools of {app}?',
  once: 'Allow {assistant} to run {tool}?',
  unnamed: 'an unnamed assistant',
  browser: 'the assistant of this browser',
  window: 'the site {origin}',
  app: 'App: {id} at {origin}',
  callsItself: 'It calls itself {name}. This name is not checked.',
  unnamedMeans:
    'It uses the access without a name, so the decision is for all assistants that use it.',
  readMeans:
    'It could read all that this app shares. The contents go to the provider of its language model.',
  actMeans: 'It could change things in this app by its tools, in your name.',
  onceMeans: 'This tool may delete or overwrite something. Each call asks.',
  wants: 'It asks for {method} {what}',
  tool: 'Tool: {title} ({name})',
  arguments: 'Arguments',
  untilSession:
    '“Allow this time” ends after 8 hours, {time}, or earlier if the gateway forgets this app.',
  untilAlways: '“Allow always” ends after 30 days without use.',
  untilToolSession:
    '“Allow for 8 hours” is for this tool alone. It ends {time}, or earlier if the gateway forgets this app.',
  thisTime: 'Allow this time',
  always: 'Allow always',
  allowOnce: 'Allow once',
  toolSession: 'Allow for 8 hours',
  deny: 'Don’t allow',
  close: 'Close without a decision',
}

export type Texts = typeof en

const translations: { readonly [language in Language]: Partial<Texts> } = {
  en,
  de,
  ja,
  'zh-Hans': zhHans,
}

export const textsIn = (language: Language): Texts => ({ ...en, ...translations[language] })

/** The parts of a text: what stands between the names, and the names, marked by `isName`. */
export function filled(
  text: string,
  names: { readonly [name: string]: string },
): { readonly text: string; readonly isName: boolean }[] {
  return text
    .split(/\{(\w+)\}/)
    .map((part, i) => ({ text: i % 2 === 1 ? (names[part] ?? '') : part, isName: i % 2 === 1 }))
    .filter((part) => part.text !== '')
}
