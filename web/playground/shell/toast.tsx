/** @jsxImportSource preact */
/** Short messages for users: a toast that disappears, and the only live region for screen readers. */

import { signal } from '@preact/signals'

/** How long a toast is visible. */
const duration = 5000 // ms

const message = signal('')
let timer: ReturnType<typeof setTimeout> | undefined

export function announce(text: string): void {
  clearTimeout(timer)
  message.value = text
  timer = setTimeout(() => {
    message.value = ''
  }, duration)
}

export function Toast() {
  return (
    <div role="status">{message.value === '' ? null : <p class="toast">{message.value}</p>}</div>
  )
}
