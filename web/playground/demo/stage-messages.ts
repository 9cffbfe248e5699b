/** What the stage knows of the messages between the demo's page and its client. */

import { type Signal, signal } from '@preact/signals'
import { arriving } from '../base/state.ts'
import { active } from '../connections/clients.ts'
import { store } from '../messages/log.ts'

/** The resource that the stage is about. */
export const watched = 'notes://today'

export const staged: Signal<{
  /** The newest message of the active client; undefined: none yet. */
  row?: number
  /** The client's last copy of the resource. */
  text?: string
  /** Whether the server has announced a change since. */
  stale: boolean
}> = signal({ stale: false })

/** How long a new row is marked in the timeline. */
const marked = 1500 // ms

/** How many rows back a copy is looked for when the stage appears. */
const looksBack = 2000 // rows

/** Follows the messages of the active client while the stage is shown. @returns stops it */
export function follow(): () => void {
  let next = Math.max(0, store.length - looksBack)
  let first = true
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = store.changed.subscribe(() => {
    next = Math.min(next, store.length) // it was cleared
    const client = active.peek()?.connection.id
    let newest: number | undefined
    for (; next < store.length; next++) {
      if (store.connection(next) !== client) continue
      if (store.target(next) === watched) learn(next)
      if (store.kind(next) !== 'broken') newest = next
    }
    if (newest === undefined) return
    staged.value = { ...staged.peek(), row: newest }
    if (first) return
    arriving.value = newest
    clearTimeout(timer)
    timer = setTimeout(() => {
      arriving.value = undefined
    }, marked)
  })
  first = false
  return () => {
    stop()
    clearTimeout(timer)
    arriving.value = undefined
  }
}

function learn(row: number): void {
  const kind = store.kind(row)
  if (kind === 'notification' && store.method(row) === 'notifications/resources/updated') {
    staged.value = { ...staged.peek(), stale: staged.peek().text !== undefined }
  } else if (kind === 'result' && store.method(row) === 'resources/read') {
    const message = store.message(row) as
      | { result?: { contents?: readonly { text?: unknown }[] } }
      | undefined
    const text = message?.result?.contents?.[0]?.text
    if (typeof text === 'string') staged.value = { ...staged.peek(), text, stale: false }
  }
}
