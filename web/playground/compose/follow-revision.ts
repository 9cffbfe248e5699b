/** Rewrites the open tab when the revision changes, and notes what changed. */

import { type Signal, signal } from '@preact/signals'
import { revision } from '../connections/clients.ts'
import type { Sentence } from '../protocol/explain.ts'
import { newest, type Revision } from '../protocol/revisions.ts'
import { rewrite } from '../protocol/rewrite.ts'
import { replacements, replaceText, tab, tabs } from './tabs.ts'

/** The changes of the last rewriting of a tab. */
export const changes: Signal<
  { tab: number; before: string; notes: readonly Sentence[] } | undefined
> = signal(undefined)

/** Rewrites the open tab at each change of the revision; returns stops that. */
export function followRevision(): () => void {
  // The user may have chosen it before this part was loaded.
  const { from, revision: written } = tab.peek()
  let before = from === undefined && written === newest ? newest : revision.peek()
  return revision.subscribe((to) => {
    if (to !== before) rewriteTab(to)
    before = to
  })
}

/** Rewrites the current tab. */
export function rewriteTab(to: Revision): void {
  const { id, text, revision: from } = tab.peek()
  if (from === to) return
  const { text: next, notes } = rewrite(text, from, to)
  changes.value = { tab: id, before: text, notes }
  tabs.value = tabs.peek().map((one) => (one.id === id ? { ...one, revision: to } : one))
  if (next !== text) replaceText(next)
  else replacements.value++ // problems depend on the revision
}
