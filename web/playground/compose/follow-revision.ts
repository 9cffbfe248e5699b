/** Rewrites the open draft when the revision of its client changes, and notes what changed. */

import { effect, untracked } from '@preact/signals'
import { active, drafts, revision } from '../connections/clients.ts'
import { newest, type Revision } from '../protocol/revisions.ts'
import { rewrite } from '../protocol/rewrite.ts'

/** Rewrites the open draft at each change of its client's revision; returns stops that. */
export function followRevision(): () => void {
  // The user may have chosen it before this part was loaded.
  const { from, revision: written } = drafts.peek().open.peek()
  const first = from === undefined && written === newest ? newest : revision.peek()
  let before = { session: active.peek(), spoken: first }
  return effect(() => {
    const now = { session: active.value, spoken: revision.value }
    const isOther = now.session !== before.session && before.session !== undefined
    if (!isOther && now.spoken !== before.spoken) untracked(() => rewriteDraft(now.spoken))
    before = now
  })
}

/** Rewrites the open draft. */
export function rewriteDraft(to: Revision): void {
  const { open, rewritten } = drafts.peek()
  const before = open.peek()
  if (before.revision === to) return
  const { text, notes } = rewrite(before.text, before.revision, to)
  rewritten.value = { before, notes }
  drafts.peek().replace(text, { revision: to })
}

/** Undoes the last rewriting. The revision of the client stays. */
export function takeBack(): void {
  const { rewritten } = drafts.peek()
  const { text, revision } = rewritten.peek()?.before ?? drafts.peek().open.peek()
  rewritten.value = undefined
  drafts.peek().replace(text, { revision })
}
