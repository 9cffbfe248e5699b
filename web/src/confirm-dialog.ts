/**
 * Asks the user whether this page may change to the gateway that a link invites to. Assistants at the
 * gateway read what the page serves and call its tools, so a link alone must not decide that.
 *
 * The dialog is in the top layer and in a closed shadow root, takes no click in its first half second, and
 * refuses by Escape, by its first button and after two minutes. In a frame of another site, which
 * could cover the dialog, no question is shown and the page keeps its gateway.
 *
 * A file of its own in the package: most pages never show it.
 */

import type { GatewayQuestion } from './credentials.ts'
import { button, element, guardClicks, isFramed, styles } from './dialog-parts.ts'

/** How long a secret of a gateway is good, ms: there is nothing to decide after that. */
const answerTime = 120_000

let last: Promise<unknown> = Promise.resolve()

/**
 * Shows the question; one after the other if there are several. In doubt the page keeps its gateway.
 *
 * @param signal - takes the question away; the answer is then false
 * @returns true if the user wants the gateway of the link
 */
export function confirmGateway(question: GatewayQuestion, signal?: AbortSignal): Promise<boolean> {
  const decided = last.then(() => !signal?.aborted && confirm(question, signal))
  last = decided.catch(() => {})
  return decided
}

async function confirm(
  { invited, paired }: GatewayQuestion,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { document } = globalThis
  if (document?.body == null || typeof HTMLDialogElement !== 'function' || isFramed()) return false
  const host = document.createElement('pagemcp-confirm')
  const root = host.attachShadow({ mode: 'closed' })
  root.adoptedStyleSheets = [styles()]
  const keep = button('Keep the present gateway', 'keep')
  const change = button('Connect to the new gateway', 'change')
  const dialog = element('dialog', '', [
    element('h2', 'Connect this page to another gateway?'),
    element('p', `A link asks ${self.origin} to join a gateway that it has no key for:`),
    element('p', invited, [], 'address'),
    element(
      'p',
      paired === invited
        ? 'The page is paired with another gateway at that address.'
        : `The page is paired with the gateway at ${paired}.`,
    ),
    element(
      'p',
      'Assistants at the new gateway could read what this page shares and use its tools. Continue only if you opened a link that your own gateway has just printed.',
    ),
    element('div', '', [keep, change], 'buttons'),
  ])
  dialog.setAttribute('aria-labelledby', 'title')
  dialog.querySelector('h2')?.setAttribute('id', 'title')
  root.append(dialog)
  document.body.append(host)
  try {
    dialog.showModal()
    keep.focus()
    return await decision(dialog, keep, change, signal)
  } finally {
    host.remove()
  }
}

/** The user's decision. Events made by scripts are ignored. */
function decision(
  dialog: HTMLDialogElement,
  keep: HTMLElement,
  change: HTMLElement,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return new Promise((resolve) => {
    const over = new AbortController()
    const clicks = guardClicks(over.signal)
    clicks.arm()
    const timer = setTimeout(() => settle(false), answerTime)
    const settle = (answer: boolean) => {
      over.abort()
      clearTimeout(timer)
      signal?.removeEventListener('abort', refuse)
      resolve(answer)
    }
    const refuse = () => settle(false)
    signal?.addEventListener('abort', refuse)
    keep.addEventListener('click', (event) => clicks.takes(event) && settle(false))
    change.addEventListener('click', (event) => clicks.takes(event) && settle(true))
    dialog.addEventListener('close', refuse)
  })
}
