/** Shared state of the timeline's views: matching rows, cursor, and following. */

import { batch, effect, type Signal, signal } from '@preact/signals'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { part } from '../base/part.ts'
import { filter, paused, selected } from '../base/state.ts'
import { connectionOf, named } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { maxTextsInMemory } from '../messages/store.ts'
import type { Filter } from './filter.ts'
import { FilteredRows } from './filtered-rows.ts'

/** The matching rows. Components also read {@link drawn} to be redrawn. */
export const shown = new FilteredRows(store)

/** Counts changes of {@link shown}. */
export const drawn: Signal<number> = signal(0)

/** Whether the newest row stays visible. */
export const follow: Signal<boolean> = signal(true)

/** The focused row; -1: none. */
export const cursor: Signal<number> = signal(-1)

/** The row to scroll to, once for each object. */
export const located: Signal<{ row: number } | undefined> = signal(undefined)

/** Selects a row and scrolls the view to it, if the filter does not hide it. */
export function locate(row: number): void {
  batch(() => {
    cursor.value = row
    selected.value = row
    located.value = { row }
  })
}

/** Rows before this one are from before the last reload; earlier.ts restores them. */
export const earlier: Signal<number> = signal(0)

/** Without a filter. */
const everything: Filter = { compile: () => undefined, problems: [], looksAtAnswers: false }

/** The parsed filter. Until its grammar is loaded with the first one, or if it does not load, all rows are shown. */
export const query: Signal<Filter> = signal(everything)
let parse: ((text: string) => Filter) | undefined

effect(() => {
  const text = filter.value
  query.value = text === '' ? everything : (parse?.(text) ?? everything)
  if (text === '' || parse) return
  part(import('./filter.ts')).then(
    ({ parseFilter }) => {
      parse = parseFilter
      if (filter.peek() !== '') query.value = parse(filter.peek())
    },
    () => {}, // the next change of the filter tries again
  )
})

/** Number of new rows while paused. */
export function waiting(): number {
  store.changed.value
  return paused.value ? store.length - Math.min(limit, store.length) : 0
}

/** The store's length at the pause; otherwise the current one. */
let limit = 0
let archiveRequested = false
let scheduled: ReturnType<typeof setTimeout> | undefined

/** Fast rows are drawn in batches: a third of the work. */
const batchInterval = 50 // ms between two batches
const immediateRows = 10 // up to so many rows are drawn at once

let drawnAt = 0

/** Tests new rows, one slice now and the rest in later tasks, so that input is handled in between. */
function advance() {
  clearTimeout(scheduled)
  scheduled = shown.advance(limit) ? undefined : setTimeout(advance)
  drawnAt = performance.now()
  drawn.value = drawn.peek() + 1
}

effect(() => {
  store.emptied.value
  named.value // a filter `client:` may refer to a connection that was just named
  const { compile, looksAtAnswers } = query.value
  batch(() => {
    shown.begin(compile(store, connectionOf), looksAtAnswers)
    if (store.length === 0) {
      cursor.value = -1
      earlier.value = 0
    }
    limit = paused.peek() ? Math.min(limit, store.length) : store.length
    advance()
  })
})

effect(() => {
  store.changed.value
  if (paused.value) return
  limit = store.length
  const wait = drawnAt + batchInterval - performance.now()
  if (wait <= 0 || limit - shown.scanned <= immediateRows) advance()
  else scheduled ??= setTimeout(advance, wait)
})

/** Number of rows at which the archive is loaded. */
const manyRows = maxTextsInMemory * 0.9

effect(() => {
  store.changed.value
  if (store.length < manyRows || archiveRequested) return
  archiveRequested = true
  // Without IndexedDB all texts stay in memory.
  part(import('../messages/archive.ts'))
    .then(({ openArchive }) => openArchive())
    .then((archive) =>
      store.useArchive(archive, maxTextsInMemory, () =>
        actions.announce(t('timeline.archiveFull')),
      ),
    )
    .catch(() => {})
})
