/** A short message at the lower edge, with one action, such as to undo what it says. */

import { make, shared } from './page.ts'

/** How long a message stays, unless the pointer or the focus is in it. */
const duration = 8000 // ms

let region: HTMLElement | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Shows a message in place of the one before.
 *
 * @param undo - undoes what the message says; `label`: the text of its button
 */
export function toast(text: string, undo?: () => void, label = shared.undo): void {
  region ??= addRegion()
  const words = make('span', '', text)
  words.id = 'toast-text'
  region.replaceChildren(words)
  region.hidden = false
  if (undo) {
    const button = make('button', '', label) as HTMLButtonElement
    button.type = 'button'
    button.id = 'undo'
    button.addEventListener('click', () => {
      hideToast()
      undo()
    })
    region.append(button)
  }
  wait()
}

function hideToast(): void {
  clearTimeout(timer)
  if (region) region.hidden = true
}

function addRegion(): HTMLElement {
  const made = make('div', 'notice toast')
  made.id = 'toast'
  made.role = 'status'
  for (const type of ['pointerenter', 'focusin']) {
    made.addEventListener(type, () => clearTimeout(timer))
  }
  for (const type of ['pointerleave', 'focusout']) made.addEventListener(type, wait)
  made.addEventListener('keydown', ({ key }) => key === 'Escape' && hideToast())
  document.body.append(made)
  return made
}

function wait() {
  clearTimeout(timer)
  timer = setTimeout(hideToast, duration)
}
