/** How the composer is seen at the moment, for its parts. */

import { type Signal, signal } from '@preact/signals'
import type { Editor } from './editor.ts'

/** Whether the form is shown in place of the text. */
export const asForm = signal(false)

/** How many problems the text has; undefined: nobody has looked yet. */
export const problems: Signal<number | undefined> = signal(undefined)

/** The editor, when it is there. */
export const editor: Signal<Editor | undefined> = signal(undefined)

/** Moves the focus to where is written, when it is drawn. */
export function focusText(): void {
  asForm.value = false
  requestAnimationFrame(() => {
    if (editor.peek()) editor.peek()?.focus()
    else document.querySelector<HTMLElement>('.compose .draft')?.focus()
  })
}
