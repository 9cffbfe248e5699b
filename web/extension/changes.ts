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
  const ids = [...now.map(({ id }) => id), ...old.keys()]
  const stale: Stale[] = []
  let isListed = false // whether the list of resources has changed
  for (const id of new Set(ids)) {
    const [was, is] = [old.get(id), now.find((tab) => tab.id === id)]
    const isOther = listed(was) !== listed(is)
    isListed ||= isOther
    if (isOther || loaded.has(id)) stale.push(`tab:///${id}`, `tab:///${id}/text`)
    else if (served(was) !== served(is)) stale.push(`tab:///${id}`)
  }
  if (stale.length === 0) return []
  const active = now.find((tab) => tab.active)?.id
  const isAnother = active !== before.find((tab) => tab.active)?.id
  for (const part of ['', '/text']) {
    if (isAnother || stale.includes(`tab:///${active}${part}`)) stale.push(`tab:///active${part}`)
  }
  return [...stale, 'tab:///', ...(isListed ? [undefined] : [])]
}

/** What clients can learn of a tab: not until when it is ticked, or who may act there. */
const served = (tab?: TabInfo) => JSON.stringify({ ...tab, until: undefined, acting: undefined })

/** What is in the list about a tab, and for whom. */
const listed = (tab?: TabInfo) =>
  tab && JSON.stringify([tab.title, tab.url, tab.discarded, tab.stopped])
