/**
 * Announcements for screen readers: counts without contents, so that a sentence stays short. It covers all
 * rows since the last sentence.
 */

import type { Key } from '../base/i18n.ts'
import type { Store } from '../messages/store.ts'

/** Minimum interval between sentences. */
export const minInterval = 2000 // ms

export interface Sentence {
  key: Key
  params: Readonly<Record<string, string | number>>
}

/**
 * A sentence about received rows from `from` to before `to`; undefined: none. Errors come before responses,
 * responses before updates: rarer events matter more.
 */
export function announcementOf(store: Store, from: number, to: number): Sentence | undefined {
  let answers = 0
  let errors = 0
  let updates = 0
  let other = 0
  let last = -1
  const targets = new Set<string>()
  for (let row = from; row < to; row++) {
    if (store.direction(row) !== 'in') continue
    const kind = store.kind(row)
    const failed = store.state(row) === 'failed'
    if (kind === 'error' || kind === 'broken' || failed) errors++
    else if (kind === 'result') answers++
    else if (store.method(row) === 'notifications/resources/updated') {
      updates++
      if (targets.size < 2) targets.add(store.target(row))
    } else other++
    if (kind === 'error' || failed || (kind === 'result' && errors === 0)) last = row
  }
  if (errors + answers === 1 && last >= 0) {
    const method = store.method(last)
    const state = store.state(last)
    if (state === 'failed') return { key: 'timeline.spokenFailed', params: { method } }
    if (state === 'input') return { key: 'timeline.spokenInput', params: { method } }
    if (state === 'task') return { key: 'timeline.spokenTask', params: { method } }
    return errors
      ? { key: 'timeline.spokenError', params: { method, code: String(store.code(last)) } }
      : { key: 'timeline.spokenResponse', params: { method } }
  }
  if (updates > 0 && errors + answers + other === 0 && targets.size === 1) {
    const [uri = ''] = targets
    return { key: 'timeline.spokenUpdates', params: { count: updates, uri } }
  }
  const count = errors + answers + updates + other
  if (count === 0) return undefined
  return errors
    ? { key: 'timeline.spokenErrors', params: { count, errors } }
    : { key: 'timeline.spokenMessages', params: { count } }
}
