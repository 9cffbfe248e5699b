/** Rewrites tabs when the revision changes, and notes what changed. */

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

/** Rewrites the tabs at each change of the revision; returns stops that. */
export function followRevision(): () => void {
  let before = revision.peek()
  // The user may have chosen it before this part was loaded.
  const { from, revision: written } = tab.peek()
  if (from === undefined && written === newest) rewriteTab(before)
  return revision.subscribe((to) => {
    if (to === before) return
    const from = before
    before = to
    rewriteTab(to)
    // other tabs are rewritten without notes, unless they had another revision
    const shown = tab.peek().id
    tabs.value = tabs
      .peek()
      .map((one) =>
        one.id === shown || one.revision !== from
          ? one
          : { ...one, text: rewrite(one.text, from, to).text, revision: to },
      )
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
