/** The ticked tabs as a source of the engine. Uses no API of the browser: it gets the functions it needs. */

import type { Changed, Source } from 'pagemcp'
import { type ListedTab, tabList, tabTitle, tabUrl } from '../src/sources/tabs.ts'
import { staleBy } from './changes.ts'
import type { Parts, TabInfo } from './messages.ts'

/** The functions of the browser that the source needs. */
export type Browser = Pick<Parts['host'], 'sharedTabs' | 'text'>

export interface TickedTabs {
  source: Source
  /** Sets the present tabs, and announces the differences. `loaded`: ids of tabs with new documents. */
  update(now: readonly TabInfo[], loaded: readonly number[]): void
  /** Announces that the tools of the sites have changed. */
  toolsChanged(): void
}

const words = {
  list: {
    title: 'Ticked tabs',
    description: 'All tabs of the browser that its user has ticked for reading.',
  },
  active: {
    title: 'Active tab',
    description: 'The tab in front of the window used last, if it is ticked.',
  },
  tab: {
    title: 'A ticked tab',
    description: 'Title, URL, window and state of a tab that the user has ticked.',
  },
  text: {
    title: 'The text of a ticked tab',
    description: 'What a user can see in a tab that the user has ticked.',
  },
}

/**
 * Publishes the tabs of the browser that the user has ticked; for clients there are no others, nor those of sites at
 * which they are stopped:
 *
 * - `tab:///`: `{ active, tabs }`, JSON: the id of the active tab, or null, and all ticked tabs
 * - `tab:///active`: the tab in front of the window used last, JSON; not found if it is not ticked
 * - `tab:///{id}`: a tab, JSON: `id`, `title`, `url` (without secrets), `active`, `front` (of its
 *   window), `window`, `audible`, `pinned`, `loading`, `discarded`, `lastAccessed` (ISO 8601, or null)
 * - `tab:///{id}/text` and `tab:///active/text`: the visible text, `text/plain`, at most
 *   200,000 UTF-16 code units; not found while the browser has the tab discarded
 *
 * Changes are announced; those of a text only when title, URL or document change.
 */
export function tickedTabs(browser: Browser): TickedTabs {
  let known: readonly TabInfo[] = []
  const listeners = new Set<Changed>()

  const source: Source = {
    ...tabList({
      words,
      // Answer and decision are about the same tab with the same site: it may go to another one meanwhile.
      tabs: async ({ client = '' }) =>
        (await browser.sharedTabs()).map((tab) => listedTab(tab, client)),
      text: async ({ id, origin: site }, { client = '' }) =>
        site === undefined ? undefined : browser.text({ tab: Number(id), site, client }),
    }),

    watch(changed, signal) {
      const listener: Changed = (what, under) => changed(what, under)
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    },
  }

  return {
    source,
    update(now, loaded) {
      const stale = staleBy(known, now, new Set(loaded))
      known = now
      for (const changed of listeners) for (const what of stale) changed(what)
    },
    toolsChanged() {
      for (const changed of listeners) changed({ list: 'tools' })
    },
  }
}

function listedTab(tab: TabInfo, client: string): ListedTab {
  const { active, front, window, audible, pinned, loading, discarded, lastAccessed } = tab
  const own = { id: String(tab.id), title: tabTitle(tab.title), url: tabUrl(tab.url), active }
  const state = { front, window, audible, pinned, loading, discarded }
  const used = lastAccessed === undefined ? null : new Date(lastAccessed).toISOString()
  const lossy = [
    ...(own.title === tab.title ? [] : ['/title']),
    ...(own.url === tab.url ? [] : ['/url']),
  ]
  return {
    ...own,
    hasText: !discarded,
    details: { ...own, ...state, lastAccessed: used },
    lossy,
    origin: tab.site,
    isDenied: tab.stopped.includes(client),
  }
}
