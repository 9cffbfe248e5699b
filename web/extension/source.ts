/** The ticked tabs as a source of the engine. Uses no API of the browser: it gets the functions it needs. */

import {
  BadCursorError,
  type Changed,
  type Contents,
  NotFoundError,
  type Resource,
  type Source,
} from 'pagemcp'
import { redactUrl } from 'pagemcp/redaction'
import { metaLossy, plainLabel, rankCompletions, withProvenance } from 'pagemcp/sources'
import { staleBy } from './changes.ts'
import type { TabInfo, TabText } from './messages.ts'

/** The functions of the browser that the source needs. */
export interface Browser {
  /** The tabs that may be read right now. */
  tabs(): Promise<TabInfo[]>
  /** The text of such a tab, if it still shows that site. */
  text(tab: number, site: string): Promise<TabText | undefined>
}

export interface TickedTabs {
  source: Source
  /** Sets the present tabs, and announces the differences. `loaded`: ids of tabs with new documents. */
  update(now: readonly TabInfo[], loaded: readonly number[]): void
}

const json = 'application/json'
const plain = 'text/plain'
const listUri = 'tab:///'
const activeUri = 'tab:///active'

/** The longest URL; a longer one loses its query and fragment. */
const maxUrl = 4096 // UTF-16 code units

/** Before all other resources. */
const fixed: readonly Resource[] = [
  {
    uri: listUri,
    name: 'tabs',
    title: 'Ticked tabs',
    description: 'All tabs of the browser that its user has ticked for reading.',
    mimeType: json,
  },
  {
    uri: activeUri,
    name: 'active',
    title: 'Active tab',
    description: 'The tab in front of the window used last, if it is ticked.',
    mimeType: json,
  },
]

/**
 * Publishes the tabs of the browser that the user has ticked; for clients there are no others:
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

  /** All ticked tabs, by id. */
  async function current(): Promise<TabInfo[]> {
    return (await browser.tabs()).sort((a, b) => a.id - b.id)
  }

  async function textOf(uri: string, tab: TabInfo): Promise<Contents[]> {
    const { site } = tab
    const found = site !== undefined && !tab.discarded && (await browser.text(tab.id, site))
    if (!found) throw new NotFoundError(uri)
    const _meta = found.cut ? { [metaLossy]: [''] } : undefined
    return withProvenance('tabs', [{ uri, mimeType: plain, text: found.text, _meta }], site)
  }

  const source: Source = {
    /** The cursor is the last URI of the previous part; its tab may be gone. */
    async list(cursor, { pageSize }) {
      if (cursor !== undefined && tabOf(cursor) === undefined) throw new BadCursorError(cursor)
      const all = [...fixed, ...(await current()).flatMap(resourcesOf)]
      const rest = all.filter(({ uri }) => cursor === undefined || isAfter(uri, cursor))
      const resources = rest.slice(0, Math.max(pageSize, 1))
      const nextCursor = rest.length > resources.length ? resources.at(-1)?.uri : undefined
      return { resources, nextCursor }
    },

    async read(uri) {
      const wanted = tabOf(uri)
      if (wanted === undefined) throw new NotFoundError(uri)
      const all = await current()
      if (uri === listUri) {
        const described = all.map(detailsOf)
        const active = all.find((tab) => tab.active)
        const value = {
          active: active ? String(active.id) : null,
          tabs: described.map(({ value }) => value),
        }
        const lossy = described.flatMap((one, i) => one.lossy.map((at) => `/tabs/${i}${at}`))
        return withProvenance('tabs', [jsonContents(uri, value, lossy)])
      }
      const tab = all.find(({ id, active }) =>
        wanted.id === 'active' ? active : `${id}` === wanted.id,
      )
      if (tab === undefined) throw new NotFoundError(uri)
      if (wanted.text) return textOf(uri, tab)
      const { value, lossy } = detailsOf(tab)
      return withProvenance('tabs', [jsonContents(uri, value, lossy)], tab.site)
    },

    templates: async () => [
      {
        uriTemplate: 'tab:///{id}',
        name: 'tab',
        title: 'A ticked tab',
        description: 'Title, URL, window and state of a tab that the user has ticked.',
        mimeType: json,
      },
      {
        uriTemplate: 'tab:///{id}/text',
        name: 'tab-text',
        title: 'The text of a ticked tab',
        description: 'What a user can see in a tab that the user has ticked.',
        mimeType: plain,
      },
    ],

    /** Ids that fit the typed text, by themselves or by the titles of their tabs. */
    async complete(ref, { name, value }) {
      if (ref.type !== 'ref/resource' || !ref.uri.startsWith(listUri) || name !== 'id') {
        throw new NotFoundError(ref.type === 'ref/resource' ? ref.uri : ref.name)
      }
      const all = await current()
      const ids = rankCompletions(['active', ...all.map(({ id }) => String(id))], value)
      const titled = rankCompletions([...new Set(all.map(({ title }) => title))], value)
      const byTitle = titled.flatMap((title) =>
        all.filter((tab) => tab.title === title).map(({ id }) => String(id)),
      )
      return [...new Set([...ids, ...byTitle])]
    },

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
  }
}

/** The description of a tab, and the members that differ from the browser's values. */
function detailsOf(tab: TabInfo): { value: Record<string, unknown>; lossy: string[] } {
  const title = plainLabel(tab.title, 300)
  const url = shortened(redactUrl(tab.url))
  const lossy = []
  if (title !== tab.title) lossy.push('/title')
  if (url !== tab.url) lossy.push('/url')
  const value = {
    id: String(tab.id),
    title,
    url,
    active: tab.active,
    front: tab.front,
    window: tab.window,
    audible: tab.audible,
    pinned: tab.pinned,
    loading: tab.loading,
    discarded: tab.discarded,
    lastAccessed: tab.lastAccessed === undefined ? null : new Date(tab.lastAccessed).toISOString(),
  }
  return { value, lossy }
}

function jsonContents(uri: string, value: object, lossy: string[]): Contents {
  const _meta = lossy.length > 0 ? { [metaLossy]: lossy } : undefined
  return { uri, mimeType: json, text: JSON.stringify(value), _meta }
}

function shortened(url: string): string {
  if (url.length <= maxUrl) return url
  return (url.split(/[?#]/, 1)[0] ?? '').slice(0, maxUrl)
}

function resourcesOf(tab: TabInfo): Resource[] {
  const url = shortened(redactUrl(tab.url))
  const name = plainLabel(tab.title, 300) || url
  const own = { uri: `tab:///${tab.id}`, name, description: url, mimeType: json }
  if (tab.discarded) return [own]
  return [own, { uri: `${own.uri}/text`, name: `${name} (text)`, mimeType: plain }]
}

/** The id in a URI, and whether it is that of the text; `undefined`: another URI. */
function tabOf(uri: string): { id: string; text: boolean } | undefined {
  const [, id, text] = /^tab:\/\/\/(active|[0-9]{1,15}|)(\/text)?$/.exec(uri) ?? []
  if (id === undefined || (id === '' && text !== undefined)) return undefined
  return { id, text: text !== undefined }
}

/** The order of listings: fixed resources, then by id, a text after its tab. */
function isAfter(uri: string, other: string): boolean {
  const [a, b] = [rank(uri), rank(other)]
  return a.at === b.at ? a.id - b.id > 0 || (a.id === b.id && a.text > b.text) : a.at > b.at
}

function rank(uri: string): { at: number; id: number; text: number } {
  const at = fixed.findIndex((one) => one.uri === uri)
  const { id = '', text = false } = tabOf(uri) ?? {}
  return { at: at < 0 ? fixed.length : at, id: Number(id) || 0, text: Number(text) }
}
