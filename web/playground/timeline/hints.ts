/**
 * Hints of the checker about rows. A check validates against the schema, so only visible rows are checked,
 * once, when the browser is idle.
 */

import { type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { part } from '../base/part.ts'
import { sessions } from '../connections/clients.ts'
import { store } from '../messages/log.ts'
import type { Checker, Hint } from '../protocol/check.ts'
import { type Revision, revisionOf } from '../protocol/revisions.ts'

/** Time without scrolling before rows are checked. */
const rest = 300 // ms

/** Duration of one slice. */
const slice = 8 // ms

const found = new Map<number, readonly Hint[]>()

/** Counts checked rows: components read it to be redrawn. */
export const hinted: Signal<number> = signal(0)

/** Rows read at a time for rules about several messages: 5 ms. */
const stride = 5000 // rows

let read = 0
let checker: Checker | undefined
let loading: Promise<void> | undefined

store.emptied.subscribe(() => {
  found.clear()
  read = 0
})

/** The hints about a row; undefined: not checked yet. */
export const hintsOf = (row: number): readonly Hint[] | undefined => found.get(row)

const sessionRevision = (connection: number): Revision | undefined =>
  sessions
    .peek()
    .find((session) => session.connection.id === connection)
    ?.revision.peek()

/** The revision of a row: as its connection declared it, also after that closed. */
export const revisionAt = (row: number): Revision =>
  revisionOf(store.revision(row), sessionRevision(store.connection(row)))

async function check(rows: readonly number[]): Promise<void> {
  loading ??= part(import('../protocol/check.ts')).then(({ Checker }) => {
    checker = new Checker(store, sessionRevision)
  })
  try {
    await loading
  } catch {
    loading = undefined // its module did not load: the next rows try again
    return
  }
  const checks = checker as Checker
  const emptied = store.emptied.peek()
  const end = performance.now() + slice
  const last = Math.min(Math.max(...rows), store.length - 1)
  let news = false
  while (read + stride < last && performance.now() < end) {
    read += stride
    checks.hints(read).next() // reads the rows before
  }
  for (const row of rows) {
    if (performance.now() >= end) {
      setTimeout(() => check(rows))
      break
    }
    if (row >= store.length || found.has(row)) continue
    const steps = checks.hints(row)
    let step = steps.next()
    for (; !step.done; step = steps.next()) await new Promise((resolve) => setTimeout(resolve))
    if (emptied !== store.emptied.peek()) return
    found.set(row, step.value)
    news = true
  }
  if (news) hinted.value++
}

/** Checks visible rows when scrolling has stopped. */
export function useHints(rows: () => readonly number[]): void {
  useEffect(() => {
    const timer = setTimeout(() => check(rows()), rest)
    return () => clearTimeout(timer)
  })
}
