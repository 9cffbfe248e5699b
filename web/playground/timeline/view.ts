/** What the views of the timeline share: the rows that pass the filter, where one is, and whether it follows. */

import { batch, computed, effect, type Signal, signal } from '@preact/signals'
import { filter, paused } from '../base/state.ts'
import { connectionOf, named } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { maxTextsInMemory } from '../messages/store.ts'
import { parseFilter } from './filter.ts'
import { FilteredRows } from './filtered-rows.ts'

/** The rows to draw. Who draws them reads {@link drawn} too. */
export const shown = new FilteredRows(store)

/** Counts changes of {@link shown}. */
export const drawn: Signal<number> = signal(0)

/** Counts new filters: places of before mean nothing any more. */
export const refiltered: Signal<number> = signal(0)

/** Whether the newest row stays in sight. */
export const follow: Signal<boolean> = signal(true)

/** The row that the keyboard is at; -1: none yet. */
export const cursor: Signal<number> = signal(-1)

/** The filter as it was understood. */
export const query = computed(() => parseFilter(filter.value))

/** Rows that came while the timeline is paused. */
export const waiting = computed(() => {
  store.changed.value
  return paused.value ? store.length - Math.min(limit, store.length) : 0
})

/** The store's length when it was paused; without a pause, the present one. */
let limit = 0
let shelved = false
let later: ReturnType<typeof setTimeout> | undefined

/** When rows come faster than anybody reads, they are drawn in steps: a third of the work, and as much to see. */
const calm = 50 // ms from one to the next
const few = 10 // rows that are drawn at once, however short ago the last were

let drawnAt = 0

/** Looks at new rows, a slice now and the rest in tasks of their own, so that input comes between. */
function advance() {
  clearTimeout(later)
  later = shown.advance(limit) ? undefined : setTimeout(advance)
  drawnAt = performance.now()
  drawn.value = drawn.peek() + 1
}

effect(() => {
  store.emptied.value
  named.value // a filter by connection may mean one that only now has its letter
  const { compile, looksAtAnswers } = query.value
  batch(() => {
    shown.begin(compile(store, connectionOf), looksAtAnswers)
    if (store.length === 0) cursor.value = -1
    refiltered.value = refiltered.peek() + 1
    limit = paused.peek() ? Math.min(limit, store.length) : store.length
    advance()
  })
})

effect(() => {
  store.changed.value
  if (paused.value) return
  limit = store.length
  const wait = drawnAt + calm - performance.now()
  if (wait <= 0 || limit - shown.scanned <= few) advance()
  else later ??= setTimeout(advance, wait)
})

/** When the archive for old texts is loaded: before it is needed. */
const manyRows = maxTextsInMemory * 0.9

effect(() => {
  store.changed.value
  if (store.length < manyRows || shelved) return
  shelved = true
  // Without IndexedDB all texts stay in memory.
  import('../messages/archive.ts')
    .then(({ openArchive }) => openArchive())
    .then((archive) => store.useArchive(archive))
    .catch(() => {})
})
