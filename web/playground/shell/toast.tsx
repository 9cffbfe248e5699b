/** @jsxImportSource preact */
/** Short messages for users: a toast that disappears, and the only live region for screen readers. */

import { signal } from '@preact/signals'

/** How long a toast is visible. */
const stays = 5000 // ms

const said = signal('')
let timer: ReturnType<typeof setTimeout> | undefined

export function announce(text: string): void {
  clearTimeout(timer)
  said.value = text
  timer = setTimeout(() => {
    said.value = ''
  }, stays)
}

export function Toast() {
  return <div role="status">{said.value === '' ? null : <p class="toast">{said.value}</p>}</div>
}
