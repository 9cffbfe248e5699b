import type { Changed, Source } from '../source.ts'
import { commonOptions, type SourceOptions, wrongOption } from './options.ts'
import { type ListedTab, tabList } from './tab-list.ts'
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

const listUri = 'tab:///'
const activeUri = 'tab:///active'

const words = {
  list: { title: 'Open tabs', description: 'All open tabs of this app.' },
  active: {
    title: 'Active tab',
    description: 'The tab of this app that had the focus last.',
  },
  tab: {
    title: 'A tab',
    description: 'Title, URL, visibility and focus of an open tab of this app.',
  },
  text: {
    title: 'The text of a tab',
    description: 'What a user can see in an open tab of this app.',
  },
}

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
 * @returns a source (Go's `engine.Source`, `engine.Watcher`). `read` rejects with
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

  /** Documents of one tab follow each other: the last one counts. */
  async function states(): Promise<readonly TabState[]> {
    await presence?.ready
    return [...new Map(all().map((tab) => [tab.id, tab])).values()]
  }

  async function listed(): Promise<readonly ListedTab[]> {
    const open = await states()
    const activeId = activeOf(open)?.id
    return open.map((tab) => {
      const { id, title, url, visibility, focused, lastFocus } = tab
      const active = id === activeId
      const details = {
        id,
        title,
        url,
        visibility,
        focused,
        lastFocus: lastFocus === 0 ? null : new Date(lastFocus).toISOString(),
        active,
        this: tab.stay === presence?.own()?.stay,
      }
      return { id, title, url, active, hasText: tab.text, details }
    })
  }

  return {
    ...tabList({
      words,
      tabs: listed,
      async text({ id }, { signal }) {
        const tab = (await states()).find((one) => one.id === id)
        return tab && presence?.textOf(tab, signal)
      },
    }),
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
