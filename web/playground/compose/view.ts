/** The view state of the composer. */

import { type Signal, signal } from '@preact/signals'
import { moveFocus } from '../base/focus.ts'
import type { Editor } from './editor.ts'

/** Whether the form replaces the text. */
export const asForm = signal(false)

/** Number of problems; undefined: not checked yet. */
export const problems: Signal<number | undefined> = signal(undefined)

/** The editor, once loaded. */
export const editor: Signal<Editor | undefined> = signal(undefined)

/** Focuses the editor or the text area after the next paint. */
export function focusText(): void {
  asForm.value = false
  requestAnimationFrame(() => {
    moveFocus(editor.peek() ?? document.querySelector<HTMLElement>('.compose .draft'))
  })
}
