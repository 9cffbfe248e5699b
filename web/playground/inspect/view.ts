/** What Inspect shows of a row, and what it is compared with. */

import { type Signal, signal } from '@preact/signals'
import { setting } from '../base/settings.ts'
import { selected } from '../base/state.ts'
import { store } from '../messages/log.ts'

export const tabs = ['preview', 'json', 'raw', 'diff'] as const
export type Tab = (typeof tabs)[number]

export const tab: Signal<Tab> = signal('preview')

/** A result that people keep to compare others with. */
export const pinned: Signal<number | undefined> = signal(undefined)

/** What the shown result is compared with; undefined: {@link kept}, or else the earlier result of the same read. */
export const base: Signal<number | undefined> = signal(undefined)

/** The tab that can be shown for a row: only results are compared. */
export const tabFor = (row: number): Tab =>
  tab.value === 'diff' && store.kind(row) !== 'result' ? 'preview' : tab.value

/** Whether the explanation is open. */
export const explaining: Signal<boolean> = setting('inspect.explaining', true)

// What was chosen for one row says nothing of the next.
selected.subscribe(() => {
  base.value = undefined
})

store.emptied.subscribe(() => {
  pinned.value = undefined
})
