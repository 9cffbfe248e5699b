/** Resources that became stale between two states of the ticked tabs. */

import type { TabInfo } from './messages.ts'

/** A stale resource; `undefined`: the list. */
export type Stale = string | undefined

/**
 * Compares two states. With its title, URL or document, the text of a tab counts as changed.
 *
 * @param loaded - ids of tabs that have a new document
 */
export function staleBy(
  before: readonly TabInfo[],
  now: readonly TabInfo[],
  loaded: ReadonlySet<number>,
): Stale[] {
  const old = new Map(before.map((tab) => [tab.id, tab]))
  const stale: Stale[] = []
  let listed = false // whether the list of resources has changed
  for (const tab of now) {
    const was = old.get(tab.id)
    old.delete(tab.id)
    if (was === undefined || loaded.has(tab.id) || isOther(was, tab)) {
      stale.push(`tab:///${tab.id}`, `tab:///${tab.id}/text`)
      listed ||= was === undefined || isOther(was, tab)
    } else if (JSON.stringify(served(was)) !== JSON.stringify(served(tab))) {
      stale.push(`tab:///${tab.id}`)
    }
  }
  for (const gone of old.keys()) {
    stale.push(`tab:///${gone}`, `tab:///${gone}/text`)
    listed = true
  }
  if (stale.length === 0) return []
  const active = now.find((tab) => tab.active)
  const last = before.find((tab) => tab.active)
  const another = active?.id !== last?.id
  for (const part of ['', '/text']) {
    if (another || stale.includes(`tab:///${active?.id}${part}`)) stale.push(`tab:///active${part}`)
  }
  stale.push('tab:///')
  if (listed) stale.push(undefined)
  return stale
}

/** What clients can learn of a tab: not until when it is ticked, or who may act there. */
const served = (tab: TabInfo) => ({ ...tab, until: undefined, acting: undefined })

/** Whether the listing of a tab has changed, or for whom it is. */
function isOther(a: TabInfo, b: TabInfo): boolean {
  return (
    a.title !== b.title ||
    a.url !== b.url ||
    a.discarded !== b.discarded ||
    JSON.stringify(a.stopped) !== JSON.stringify(b.stopped)
  )
}
