/** Elements of the panel and the indicator. All texts are set as text, never parsed. */

import { clickGuard, guardClicks, isFramed } from '../dialog-parts.ts'

/** Browsers take the roles from tables whose parts are shown as blocks, on narrow screens. */
const roles: { readonly [tag: string]: string } = {
  table: 'table',
  thead: 'rowgroup',
  tbody: 'rowgroup',
  tr: 'row',
  td: 'cell',
}

/** Makes an element with a class, which is its part, too, and contents. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  part: string,
  ...contents: (string | Node)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  const role = roles[tag]
  if (role !== undefined) made.role = role
  if (part !== '') {
    made.className = part
    made.setAttribute('part', part)
  }
  made.append(...contents)
  return made
}

/** Makes a button. */
export function button(part: string, text: string, clicked: (event: Event) => void) {
  const made = make('button', part, text)
  made.type = 'button'
  made.addEventListener('click', clicked)
  return made
}

/** A button by which the user gives access: {@link guardClicks} says which clicks it takes. It is not there in a foreign frame. */
export interface GrantingButton {
  readonly element: HTMLButtonElement
  /** Shows or hides it. */
  show(visible: boolean): void
}

export function grantingButton(
  part: string,
  text: string,
  granted: () => void,
  signal: AbortSignal,
): GrantingButton {
  const clicks = guardClicks(signal)
  let timer: ReturnType<typeof setTimeout> | undefined
  const element = button(part, text, (event) => {
    if (clicks.takes(event)) granted()
  })
  element.hidden = true
  return {
    element,
    show(wanted) {
      const visible = wanted && !isFramed()
      if (visible === !element.hidden) return
      element.hidden = !visible
      clearTimeout(timer)
      if (!visible) return
      clicks.arm()
      element.ariaDisabled = 'true' // `disabled` would take the focus away
      timer = setTimeout(() => {
        element.ariaDisabled = null
      }, clickGuard)
    },
  }
}

/** Gives an element a text, unless it has it: live regions would read it out again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
}
