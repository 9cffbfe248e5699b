/** Tabs follow the revision that is chosen: their texts are rewritten, and what changed is said. */

import { type Signal, signal } from '@preact/signals'
import { revision } from '../connections/clients.ts'
import type { Sentence } from '../protocol/explain.ts'
import type { Revision } from '../protocol/revisions.ts'
import { rewrite } from '../protocol/rewrite.ts'
import { replaced, replaceText, tab, tabs } from './tabs.ts'

/** What the last change of the revision did to a tab. */
export const changes: Signal<
  { tab: number; before: string; notes: readonly Sentence[] } | undefined
> = signal(undefined)

/** Rewrites the tabs whenever another revision is chosen, from now on; returns how to stop. */
export function followRevision(): () => void {
  let before = revision.peek()
  return revision.subscribe((to) => {
    if (to === before) return
    const from = before
    before = to
    rewriteTab(to)
    // other tabs follow silently, but for those that were in another revision on purpose
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

/** Rewrites the tab that is shown. */
export function rewriteTab(to: Revision): void {
  const { id, text, revision: from } = tab.peek()
  const { text: next, notes } = rewrite(text, from, to)
  changes.value = { tab: id, before: text, notes }
  tabs.value = tabs.peek().map((one) => (one.id === id ? { ...one, revision: to } : one))
  if (next !== text) replaceText(next)
  else replaced.value++ // problems may be others now
}
