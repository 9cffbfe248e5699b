import { rankCompletions } from '../complete.ts'
import { metaLossy } from '../contents.ts'
import { withProvenance } from '../provenance.ts'
import {
  BadCursorError,
  type Changed,
  type Contents,
  NotFoundError,
  type Resource,
  type Source,
} from '../source.ts'
import { commonOptions, type SourceOptions, wrongOption } from './options.ts'
import type { TabState } from './tabs-own.ts'
import { joinTabs, type Presence, type TabEvent } from './tabs-presence.ts'
import { textWithin } from './tabs-text.ts'
import { whileUsed } from './usage.ts'

/** Options of {@link tabs}. After `signal` is aborted, the list has no tabs. */
export interface TabsOptions extends SourceOptions {
  /**
   * CSS selectors of the elements whose text this tab shares; default: `false`, none. Hidden
   * text, values of fields and editable elements, and elements with `data-mcp-private` are never
   * shared. Each tab decides for itself.
   */
  text?: readonly [string, ...string[]] | false
}

const json = 'application/json'
const plain = 'text/plain'
const listUri = 'tab:///'
const activeUri = 'tab:///active'

/** Before all other resources. */
const fixed: readonly Resource[] = [
  {
    uri: listUri,
    name: 'tabs',
    title: 'Open tabs',
    description: 'All open tabs of this app.',
    mimeType: json,
  },
  {
    uri: activeUri,
    name: 'active',
    title: 'Active tab',
    description: 'The tab of this app that had the focus last.',
    mimeType: json,
  },
]

/**
 * Publishes the open tabs of this origin that have mounted this, from any of them:
 *
 * - `tab:///`: `{ active, tabs }`, JSON: the id of the tab that had the focus last, and all tabs
 * - `tab:///active`: that tab, JSON
 * - `tab:///{id}`: a tab, JSON: `id`, `title`, `url` (without secrets), `visibility` (`visible` or
 *   `hidden`), `focused`, `lastFocus` (ISO 8601, or null), `active`, and `this`: whether it is the one
 *   that answers
 * - `tab:///{id}/text` and `tab:///active/text`, of tabs that name selectors: the visible text of these
 *   elements, `text/plain`, at most 200,000 UTF-16 code units; the tab has 10 s to send it
 *
 * A tab keeps its id through reloads; a duplicate gets a new one. A tab in the
 * back/forward cache is not open, and stays in that cache. Announced are opened, closed and crashed tabs,
 * and changes of titles, URLs, visibility, focus and texts. Tabs observe their text while any of them has
 * listeners. Runs in the window. Without Web Locks (no secure context, or an opaque origin) this tab is the only one.
 *
 * @returns a source (Go's `engine.Source`, `engine.Templater`, `engine.Watcher`). `read` rejects with
 *   {@link NotFoundError}, or a `TimeoutError` if a tab does not send its text
 * @throws a `DOMException` named `SyntaxError` if a selector does not parse
 * @see https://w3c.github.io/web-locks/
 */
export function tabs(options: TabsOptions = {}): Source {
  const { signal: ends } = commonOptions('tabs', options)
  const { text = false } = options
  if (text !== false && !isSelectors(text)) {
    throw wrongOption('tabs', 'text', "false or an array of selectors such as ['main']", text)
  }
  const ownText = text === false ? undefined : textWithin(text)
  const listeners = new Set<Changed>()
  const tell: Changed = (what, under) => {
    for (const changed of listeners) changed(what, under)
  }
  let active: string | undefined
  let presence: Presence | undefined // while it is used
  const all = () => presence?.all() ?? []
  const use = whileUsed((signal) => {
    ownText?.prepare()
    const joined = joinTabs(ownText, onEvent, signal)
    presence = joined
    joined.watch(listeners.size > 0)
    const leave = () => {
      presence = undefined
      active = undefined
    }
    signal.addEventListener('abort', leave, { once: true })
  }, ends)

  /** Announces the resources that an event makes stale, also those of the active tab, which may change. */
  function onEvent({ before, now }: TabEvent) {
    const uri = `tab:///${(now ?? before)?.id}`
    if (before !== undefined && now !== undefined && onlyUnseen(before, now)) {
      if (before.edits !== now.edits) tellText(uri, now.id)
      return
    }
    tell(listUri)
    tell(uri)
    if (before === undefined || now === undefined || before.id !== now.id) {
      tell(undefined)
      tell(`${uri}/text`)
      if (before !== undefined && now !== undefined) tell(`tab:///${before.id}`, true)
    } else if (before.title !== now.title || before.url !== now.url) {
      tell(undefined) // a listing has titles
      tell(`${uri}/text`)
    }
    const last = active
    active = activeOf(all())?.id
    if (active === last && active !== (now ?? before)?.id) return
    tell(activeUri)
    tell(`${activeUri}/text`)
  }

  function tellText(uri: string, id: string) {
    tell(`${uri}/text`)
    if (id === active) tell(`${activeUri}/text`)
  }

  /** All tabs, by id. Documents of one tab follow each other: the last one counts. */
  async function known(): Promise<Map<string, TabState>> {
    await presence?.ready
    const byId = all().map((tab) => [tab.id, tab] as const)
    return new Map(byId.sort(([a], [b]) => (a < b ? -1 : Number(a > b))))
  }

  function described(tab: TabState) {
    const { id, title, url, visibility, focused, lastFocus } = tab
    return {
      id,
      title,
      url,
      visibility,
      focused,
      lastFocus: lastFocus === 0 ? null : new Date(lastFocus).toISOString(),
      active: id === activeOf(all())?.id,
      this: tab.stay === presence?.own()?.stay,
    }
  }

  return {
    /** The cursor is the last URI of the previous part; its tab may be gone. */
    async list(cursor, { pageSize }) {
      if (cursor !== undefined && tabOf(cursor) === undefined) throw new BadCursorError(cursor)
      const all = [...fixed, ...[...(await known()).values()].flatMap(resourcesOf)]
      const rest = all.filter(({ uri }) => cursor === undefined || rank(uri) > rank(cursor))
      const resources = rest.slice(0, Math.max(pageSize, 1))
      const nextCursor = rest.length > resources.length ? resources.at(-1)?.uri : undefined
      return { resources, nextCursor }
    },

    async read(uri, { signal }): Promise<Contents[]> {
      const { id, text: wantsText = false } = tabOf(uri) ?? {}
      const all = await known()
      const asJson = (value: object) =>
        withProvenance('tabs', [{ uri, mimeType: json, text: JSON.stringify(value) }])
      if (uri === listUri) {
        const active = activeOf([...all.values()])?.id ?? null
        return asJson({ active, tabs: Array.from(all.values(), described) })
      }
      const tab = id === 'active' ? activeOf([...all.values()]) : all.get(id ?? '')
      if (tab === undefined) throw new NotFoundError(uri)
      if (!wantsText) return asJson(described(tab))
      if (presence === undefined) throw new NotFoundError(uri)
      const { text, cut } = await presence.textOf(tab, signal)
      const _meta = cut ? { [metaLossy]: [''] } : undefined
      return withProvenance('tabs', [{ uri, mimeType: plain, text, _meta }])
    },

    templates: async () => [
      {
        uriTemplate: 'tab:///{id}',
        name: 'tab',
        title: 'A tab',
        description: 'Title, URL, visibility and focus of an open tab of this app.',
        mimeType: json,
      },
      {
        uriTemplate: 'tab:///{id}/text',
        name: 'tab-text',
        title: 'The text of a tab',
        description: 'What a user can see in an open tab of this app.',
        mimeType: plain,
      },
    ],

    /** Ids that fit the typed text, by themselves or by the titles of their tabs; for `/text`, of tabs that share it. */
    async complete(ref, { name, value }) {
      if (ref.type !== 'ref/resource' || !ref.uri.startsWith('tab:///') || name !== 'id') {
        throw new NotFoundError(ref.type === 'ref/resource' ? ref.uri : ref.name)
      }
      const open = [...(await known()).values()]
      const wantsText = ref.uri.endsWith('/text')
      const all = open.filter(({ text }) => text || !wantsText)
      const active = wantsText && !activeOf(open)?.text ? [] : ['active']
      const ids = rankCompletions([...active, ...all.map(({ id }) => id)], value)
      const titled = rankCompletions([...new Set(all.map(({ title }) => title))], value)
      const byTitle = titled.flatMap((title) =>
        all.filter((tab) => tab.title === title).map(({ id }) => id),
      )
      return [...new Set([...ids, ...byTitle])]
    },

    mounted: use,
    watch(changed, listening) {
      const signal = ends ? AbortSignal.any([listening, ends]) : listening
      if (signal.aborted) return
      const listener: Changed = (what, under) => changed(what, under)
      listeners.add(listener)
      use(listening)
      presence?.watch(true)
      const stop = () => {
        listeners.delete(listener)
        presence?.watch(listeners.size > 0)
      }
      signal.addEventListener('abort', stop, { once: true })
    },
  }
}

function isSelectors(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
}

/** The id in a URI, and whether it is that of the text; `undefined`: another URI. */
function tabOf(uri: string): { id: string; text: boolean } | undefined {
  const [, id, text] = /^tab:\/\/\/([\w-]{0,64})(\/text)?$/.exec(uri) ?? []
  if (id === undefined || (id === '' && text !== undefined)) return undefined
  return { id, text: text !== undefined }
}

/** The order of listings. */
function rank(uri: string): string {
  const at = fixed.findIndex((one) => one.uri === uri)
  return `${at < 0 ? fixed.length : at} ${uri}`
}

function resourcesOf({ id, title, url, text }: TabState): Resource[] {
  const name = title || url
  const own = { uri: `tab:///${id}`, name, description: url, mimeType: json }
  if (!text) return [own]
  return [own, { uri: `${own.uri}/text`, name: `${name} (text)`, mimeType: plain }]
}

/** Whether two states of a tab read the same, its text aside. */
function onlyUnseen(before: TabState, now: TabState): boolean {
  const plain = { edits: 0, watching: false }
  return JSON.stringify({ ...before, ...plain }) === JSON.stringify({ ...now, ...plain })
}

/** The tab with the last focus; of several, one that has the focus now. */
function activeOf(all: readonly TabState[]): TabState | undefined {
  return all.reduce<TabState | undefined>((best, tab) => {
    if (best === undefined) return tab
    const newer =
      Number(tab.focused) - Number(best.focused) ||
      tab.lastFocus - best.lastFocus ||
      (tab.id < best.id ? 1 : -1)
    return newer > 0 ? tab : best
  }, undefined)
}
