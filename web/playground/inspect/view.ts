/** The view state of Inspect. */

import { type Signal, signal } from '@preact/signals'
import { openApp } from '../apps/find.ts'
import { selected } from '../base/state.ts'
import { store } from '../messages/log.ts'

export const tabs = ['preview', 'app', 'json', 'raw', 'diff'] as const
export type Tab = (typeof tabs)[number]

export const tab: Signal<Tab> = signal('preview')

/** The result pinned for comparison. */
export const pinned: Signal<number | undefined> = signal(undefined)

/** The row to compare with; undefined: {@link pinned}, else the earlier result of the same read. */
export const base: Signal<number | undefined> = signal(undefined)

/** The tab for a row: only results can be compared, and only the open app is shown. */
export const tabFor = (row: number): Tab =>
  (tab.value === 'diff' && store.kind(row) !== 'result') ||
  (tab.value === 'app' && openApp.value?.row !== row)
    ? 'preview'
    : tab.value

// The choice applies to one row only.
selected.subscribe(() => {
  base.value = undefined
})

store.emptied.subscribe(() => {
  pinned.value = undefined
})
