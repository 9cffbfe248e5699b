/**
 * The question whether an assistant may read an app or act in it. It is in the top layer and in a closed shadow root; it
 * takes no click in its first half second, nor while the user clicks or types without a pause of that length, none that a
 * script has made, and none while something covers it. Its first
 * focus refuses; Escape and the close button decide nothing.
 *
 * Scripts of the page have the same rights as this dialog, so it does not protect from them: a script may change the decisions
 * in storage, or cover the dialog by the top layer of a closed shadow root, which nothing outside can find. It protects
 * from what is shown around the page, over it, and at its place.
 */

import { button, element, guardClicks, isFramed, styles } from '../dialog-parts.ts'
import type { Shown } from './shown.ts'
import { filled } from './texts.ts'

/**
 * What the user has chosen. `dismissed`: closed without a decision. `ended`: the signal was aborted. `unshown`: the
 * question cannot be shown here, or not on top.
 */
export type Choice =
  | 'session'
  | 'always'
  | 'once'
  | 'tool-session'
  | 'deny'
  | 'dismissed'
  | 'ended'
  | 'unshown'

/** How often the dialog returns to the top after something has covered or removed it. */
const maxReturns = 5

/** How often the dialog looks whether it is still seen, ms. */
const lookInterval = 250

/** Shows the question until it is answered, or the signal is aborted. */
export function showQuestion(shown: Shown, signal: AbortSignal): Promise<Choice> {
  const { document } = globalThis
  if (document === undefined || typeof HTMLDialogElement !== 'function' || isFramed()) {
    return Promise.resolve('unshown')
  }
  const { dialog, choices, deny } = build(shown)
  const host = document.createElement('pagemcp-question')
  const root = host.attachShadow({ mode: 'closed' })
  root.adoptedStyleSheets = [styles(further)]
  root.append(dialog)
  return new Promise((resolve) => {
    const over = new AbortController()
    const on = (target: EventTarget, type: string, act: (event: Event) => void) =>
      target.addEventListener(type, act, { capture: true, signal: over.signal })
    const clicks = guardClicks(over.signal)
    let returns = 0
    let below = new Set<Element>()

    const settle = (choice: Choice) => {
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
      deny.focus()
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

    for (const [choice, made] of choices) {
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

function build(shown: Shown) {
  const { texts, language } = shown
  const said = (name: keyof typeof texts, names = shown.names) => filled(texts[name], names)
  const line = (name: keyof typeof texts, names = shown.names, className = '') =>
    element('p', '', parts(said(name, names)), className)

  const title = element('h2', '', parts(said(shown.title)))
  title.id = 'title'
  const body = element('div', '', [title], 'body')
  const about = element('div', '')
  about.id = 'about'
  about.append(line('app'))
  if (shown.isUnnamed) about.append(line('unnamedMeans'))
  if (shown.names.name) about.append(line('callsItself'))
  about.append(line(shown.means, shown.names, 'means'))
  if (shown.toolNames) about.append(line('tool', shown.toolNames))
  else if (shown.names.what) about.append(line('wants'))
  body.append(about)
  if (shown.arguments) {
    const label = element('p', texts.arguments, [], 'label')
    label.id = 'arguments'
    const pre = element('pre', shown.arguments.text)
    pre.tabIndex = 0
    pre.setAttribute('role', 'region')
    pre.setAttribute('aria-labelledby', 'arguments')
    body.append(label, pre)
    if (shown.arguments.cut > 0) {
      body.append(line('cut', { count: String(shown.arguments.cut) }, 'means'))
    }
  }
  const until = element('div', '', [], 'until')
  until.id = 'until'
  for (const name of shown.until) until.append(line(name))
  body.append(until)

  const choices = new Map<Choice, HTMLButtonElement>()
  for (const [choice, name] of shown.choices) {
    choices.set(choice, button(texts[name], choice === 'deny' ? 'keep' : ''))
  }
  const deny = choices.get('deny') as HTMLButtonElement
  deny.autofocus = true
  const buttons = element('div', '', [...choices.values()], 'buttons')
  const close = button('', 'close')
  close.setAttribute('aria-label', texts.close)
  close.append(element('span', '×'))
  choices.set('dismissed', close)
  const dialog = element('dialog', '', [body, buttons, close])
  dialog.lang = language
  dialog.dir = 'ltr'
  dialog.setAttribute('aria-labelledby', 'title')
  dialog.setAttribute('aria-describedby', 'about until')
  return { dialog, choices, deny }
}

/** Names are isolated: their direction does not change that of the sentence. */
function parts(text: ReturnType<typeof filled>): Node[] {
  return text.map(({ text, isName }) =>
    isName ? element('bdi', text) : document.createTextNode(text),
  )
}

const further = `
dialog { all: initial; box-sizing: border-box; position: fixed; inset: 0; margin: auto; width: min(34em, calc(100vw - 2em)); height: fit-content;
  max-height: calc(100vh - 2em); flex-direction: column; gap: 1em; padding: 1.25em; border: 1px solid #8888; border-radius: .75em;
  background: Canvas; color: CanvasText; color-scheme: light dark; font: medium/1.5 system-ui, sans-serif; overflow-wrap: break-word }
dialog[open] { display: flex }
dialog:not([open]) { display: none }
.body { overflow: auto; min-height: 3em }
h2 { padding-right: 2em }
bdi { font-weight: 600; overflow-wrap: anywhere }
.label { margin: 0 0 .25em }
.until p { margin: 0 0 .25em; font-size: .875em }
pre { margin: 0 0 .75em; max-height: 10em; overflow: auto; padding: .5em; border: 1px solid #8888; border-radius: .5em;
  font: .875em/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
pre:focus-visible { outline: 3px solid Highlight }
:focus-visible { outline-color: light-dark(#0b57d0, #a8c7fa) !important }
.close { position: absolute; top: .75em; right: .75em; min-width: 2.25em; padding: .25em; border-color: transparent; background: none; color: inherit }
@media (max-width: 30em) { .buttons { flex-direction: column } }
`
