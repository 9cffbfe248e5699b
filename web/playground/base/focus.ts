/** Focus that no click of the user has moved. */

import { embedded } from './settings.ts'

/** Focuses what the next step needs, unless the user is in the page around an embedded playground. */
export function moveFocus(target: { focus(): void } | null | undefined): void {
  if (!embedded || document.hasFocus()) target?.focus()
}
