import type { Changed, Source } from '../source.ts'
import { wrongOption } from './options.ts'
import { all } from './page-dom.ts'
import { tabList } from './tab-list.ts'
import { joinTabs, type Presence, type TabState } from './tabs-presence.ts'
import { whileUsed } from './usage.ts'

/** Options of {@link tabs}. */
export interface TabsOptions {
  /**
   * CSS selectors of the elements whose text this tab shares; default: `false`, none. Hidden
   * text, values of fields and editable elements, and elements with `data-mcp-private` are never
   * shared. Each tab decides for itself.
   */
  text?: readonly [string, ...string[]] | false
}

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
 * and changes of titles, URLs, visibility, focus and texts. Runs in the window. Without Web Locks (no secure context, or an opaque origin) this tab is the only one.
 *
 * @returns a source (Go's `engine.Source`, `engine.Watcher`). `read` rejects with
 *   {@link NotFoundError}, or a `TimeoutError` if a tab does not send its text
 * @throws a `DOMException` named `SyntaxError` if a selector does not parse
 * @see https://w3c.github.io/web-locks/
 */
export function tabs(options: TabsOptions = {}): Source {
  const { text = false } = options
  if (text !== false && !isSelectors(text)) {
    throw wrongOption('tabs', 'text', "false or an array of selectors such as ['main']", text)
  }
  const selector = text === false ? undefined : text.join(',')
  if (selector !== undefined && globalThis.document) all(selector) // one that does not parse throws here, not at a read
  const listeners = new Set<Changed>()
  const tell: Changed = (what, under) => {
    for (const changed of listeners) changed(what, under)
  }
  let active: string | undefined
  let presence: Presence | undefined // while it is used
  const use = whileUsed((signal) => {
    presence = joinTabs(selector, onEvent, signal)
    const leave = () => {
      presence = undefined
      active = undefined
    }
    signal.addEventListener('abort', leave, { once: true })
  })

  /** Announces the resources that an event makes stale, also those of the active tab, which may change. */
  function onEvent(before: TabState | undefined, now: TabState | undefined) {
    const last = active
    active = activeOf(presence?.all() ?? [])?.id
    const ids = new Set([before?.id, now?.id].filter((id) => id !== undefined))
    if (ids.has(active ?? '') || last !== active) ids.add('active')
    const differs = (...names: (keyof TabState)[]) =>
      names.some((name) => before?.[name] !== now?.[name])
    if (differs('id', 'title', 'url', 'edits')) for (const id of ids) tell(`tab:///${id}/text`)
    if (differs('id', 'title', 'url')) tell(undefined) // a listing has titles
    if (!differs('id', 'title', 'url', 'visibility', 'focused', 'lastFocus')) return
    tell('tab:///')
    for (const id of ids) tell(`tab:///${id}`)
    if (last !== active) tell('tab:///active/text')
  }

  async function states(): Promise<readonly TabState[]> {
    await presence?.ready
    return presence?.all() ?? []
  }

  return {
    ...tabList({
      words,
      async tabs() {
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
            this: presence?.isOwn(tab) ?? false,
          }
          return { id, title, url, active, hasText: tab.text, details }
        })
      },
      async text({ id }, { signal }) {
        const tab = (await states()).find((one) => one.id === id)
        return tab && presence?.textOf(tab, signal)
      },
    }),
    mounted: use,
    watch(changed, signal) {
      const listener: Changed = (what, under) => changed(what, under)
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
      use(signal)
    },
  }
}

function isSelectors(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
}

/** The tab with the last focus; of several, one that has the focus now. */
function activeOf(all: readonly TabState[]): TabState | undefined {
  const [first] = [...all].sort(
    (a, b) =>
      Number(b.focused) - Number(a.focused) || b.lastFocus - a.lastFocus || (a.id < b.id ? -1 : 1),
  )
  return first
}
