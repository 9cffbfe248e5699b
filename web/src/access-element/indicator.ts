/** The indicator: a button that is there while assistants use the page, and opens the panel. */

import { fill, type Language } from '../translation.ts'
import { button, make, setText } from './dom.ts'
import { nameOf } from './names.ts'
import { textsIn } from './texts.ts'
import { type AccessHost, type AccessState, watchAccess } from './watch.ts'

/** The most names on the button. */
const maxNames = 2

/**
 * Fills a shadow root with the indicator, until the signal aborts.
 *
 * @param panel - makes the panel, when it is opened
 * @param activeFor - how long it stays after a use, in ms
 */
export function showIndicator(
  root: ShadowRoot,
  mcp: AccessHost,
  language: Language,
  signal: AbortSignal,
  panel: () => HTMLElement,
  activeFor?: number,
): void {
  const texts = textsIn(language)
  const label = make('span', 'label')
  const said = make('span', 'said')
  said.role = 'status'
  const dialog = make('dialog', 'dialog')
  dialog.ariaLabel = texts.title
  const open = button('indicator', '', () => {
    const close = button('close', texts.close, () => dialog.close())
    dialog.replaceChildren(panel(), close)
    dialog.showModal()
  })
  open.append(make('span', 'dot'), label)
  open.ariaHasPopup = 'dialog'
  open.hidden = true
  dialog.addEventListener('close', () => {
    dialog.replaceChildren() // the panel ends
    hideIfIdle()
  })
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close() // the backdrop
  })
  open.addEventListener('blur', () => hideIfIdle())
  const box = make('span', 'box', open, said, dialog)
  box.lang = language
  root.replaceChildren(box)

  let isActive = false
  /** A button with the focus stays, so that the focus is not lost. */
  const hideIfIdle = () => {
    if (!isActive && !dialog.open && root.activeElement !== open) open.hidden = true
  }
  const show = ({ assistants }: AccessState) => {
    const names = assistants.flatMap((one) => (one.isActive ? [nameOf(one.assistant, texts)] : []))
    isActive = names.length > 0
    if (!isActive) {
      setText(said, '')
      hideIfIdle()
      return
    }
    const further = names.length > maxNames ? ` +${names.length - maxNames}` : ''
    const text = fill(texts.reading, { names: names.slice(0, maxNames).join(', ') + further })
    setText(label, text)
    open.hidden = false
    setText(said, text)
  }
  watchAccess(mcp, show, { signal, ...(activeFor !== undefined && { activeFor }) })
}
