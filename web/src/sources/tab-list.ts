/** A list of tabs as a source: URIs, listing, reading, templates and completion. {@link tabs} and the browser extension use it. */

import { rankCompletions } from '../complete.ts'
import { metaLossy } from '../contents.ts'
import { plainLabel } from '../plain-label.ts'
import { redactUrl } from '../redact.ts'
import {
  BadCursorError,
  type Contents,
  NotFoundError,
  type ReadOptions,
  type Resource,
  type Source,
} from '../source.ts'

/** A tab of a list. */
export interface ListedTab {
  /** 1 to 64 letters, digits, `_` and `-`; not `active`. */
  readonly id: string
  /** See {@link tabTitle}. */
  readonly title: string
  /** See {@link tabUrl}. */
  readonly url: string
  /** Whether `tab:///active` is this one. */
  readonly active: boolean
  /** Whether its text can be read. */
  readonly hasText: boolean
  /** What a read returns: a JSON object. */
  readonly details: object
  /** JSON pointers of the details that differ from the tab's own values. */
  readonly lossy?: string[]
  /** The origin of its document. */
  readonly origin?: string
  /** The user has not shared it with this client: no list has it, and reads reject with a `NotAllowedError`. */
  readonly isDenied?: boolean
}

/** The text of a tab. */
export interface TabText {
  readonly text: string
  /** Whether the text is longer. */
  readonly cut: boolean
}

interface Words {
  readonly title: string
  readonly description: string
}

/** What {@link tabList} needs. */
export interface TabListOptions {
  /** Title and description of the list, of the active tab, and of the two templates. */
  readonly words: Readonly<Record<'list' | 'active' | 'tab' | 'text', Words>>
  /** The present tabs, in any order, each id once. */
  tabs(options: ReadOptions): Promise<readonly ListedTab[]>
  /** The visible text of such a tab; `undefined` if it is gone. */
  text(tab: ListedTab, options: ReadOptions): Promise<TabText | undefined>
}

/** The methods of a {@link Source} that a list of tabs has. */
export type TabList = Required<Pick<Source, 'list' | 'read' | 'templates' | 'complete'>>

const json = 'application/json'
const plain = 'text/plain'
const base = 'tab:///'
const activeUri = 'tab:///active'

/** The longest title. */
const maxTitle = 300 // UTF-16 code units

/** The longest URL; a longer one loses its query and fragment. */
const maxUrl = 4096 // UTF-16 code units

/**
 * Publishes tabs: `tab:///` is `{ active, tabs }`, JSON; `tab:///active` and `tab:///{id}` are the details of one,
 * JSON; `tab:///active/text` and `tab:///{id}/text` its text.
 *
 * Its `read` rejects with {@link NotFoundError}, or as `text` does. A cursor of `list` is the last URI of the previous part, whose tab may be gone.
 */
export function tabList({ words, tabs, text }: TabListOptions): TabList {
  const fixed: readonly Resource[] = [
    { uri: base, name: 'tabs', ...words.list, mimeType: json },
    { uri: activeUri, name: 'active', ...words.active, mimeType: json },
  ]
  const shared = async (options: ReadOptions) =>
    (await tabs(options))
      .filter(({ isDenied }) => !isDenied)
      .sort((a, b) => (orderOf(base + a.id) < orderOf(base + b.id) ? -1 : 1))

  return {
    async list(cursor, options) {
      if (cursor !== undefined && partsOf(cursor) === undefined) throw new BadCursorError(cursor)
      const all = [...fixed, ...(await shared(options)).flatMap(resourcesOf)]
      const from = cursor === undefined ? undefined : orderOf(cursor)
      const rest = all.filter(({ uri }) => from === undefined || orderOf(uri) > from)
      const resources = rest.slice(0, Math.max(options.pageSize, 1))
      const nextCursor = rest.length > resources.length ? resources.at(-1)?.uri : undefined
      return { resources, nextCursor }
    },

    async read(uri, options) {
      const parts = partsOf(uri)
      if (parts === undefined) throw new NotFoundError(uri)
      if (uri === base) return [listContents(await shared(options))]
      const isWanted = ({ id, active }: ListedTab) =>
        parts.id === 'active' ? active : id === parts.id
      const tab = (await tabs(options)).find(isWanted)
      if (tab?.isDenied) throw new DOMException(uri, 'NotAllowedError')
      if (tab === undefined || (parts.text && !tab.hasText)) throw new NotFoundError(uri)
      const { details, lossy = [] } = tab
      if (!parts.text) return [jsonContents(uri, details, lossy)]
      const found = await text(tab, options)
      if (found === undefined) throw new NotFoundError(uri)
      const _meta = found.cut ? { [metaLossy]: [''] } : undefined
      return [{ uri, mimeType: plain, text: found.text, _meta }]
    },

    templates: async () => [
      { uriTemplate: `${base}{id}`, name: 'tab', ...words.tab, mimeType: json },
      { uriTemplate: `${base}{id}/text`, name: 'tab-text', ...words.text, mimeType: plain },
    ],

    /** Ids that fit the typed text, by themselves or by the titles of their tabs; for `/text`, of tabs that have one. */
    async complete(ref, { name, value }, context) {
      if (ref.type !== 'ref/resource' || !ref.uri.startsWith(base) || name !== 'id') {
        throw new NotFoundError(ref.type === 'ref/resource' ? ref.uri : ref.name)
      }
      const wantsText = ref.uri.endsWith('/text')
      const open = await shared(context)
      const fitting = open.filter(({ hasText }) => hasText || !wantsText)
      const active = !wantsText || fitting.some((tab) => tab.active) ? ['active'] : []
      const ids = rankCompletions([...active, ...fitting.map(({ id }) => id)], value)
      const titled = rankCompletions([...new Set(fitting.map(({ title }) => title))], value)
      const byTitle = titled.flatMap((title) =>
        fitting.filter((tab) => tab.title === title).map(({ id }) => id),
      )
      return [...new Set([...ids, ...byTitle])]
    },
  }
}

/** The title of a tab as lists have it: see {@link plainLabel}. */
export function tabTitle(title: string): string {
  return plainLabel(title.slice(0, 2 * maxTitle), maxTitle)
}

/** The URL of a tab as lists have it: without secrets; a long one without query and fragment. */
export function tabUrl(url: string): string {
  return shortened(redactUrl(shortened(url)))
}

function shortened(url: string): string {
  if (url.length <= maxUrl) return url
  return (url.split(/[?#]/, 1)[0] ?? '').slice(0, maxUrl)
}

function listContents(all: readonly ListedTab[]): Contents {
  const active = all.find((tab) => tab.active)?.id ?? null
  const lossy = all.flatMap(({ lossy = [] }, i) => lossy.map((at) => `/tabs/${i}${at}`))
  return jsonContents(base, { active, tabs: all.map(({ details }) => details) }, lossy)
}

function jsonContents(uri: string, value: object, lossy: string[]): Contents {
  const _meta = lossy.length > 0 ? { [metaLossy]: lossy } : undefined
  return { uri, mimeType: json, text: JSON.stringify(value), _meta }
}

function resourcesOf({ id, title, url, hasText }: ListedTab): Resource[] {
  const name = title || url
  const own = { uri: `${base}${id}`, name, description: url, mimeType: json }
  if (!hasText) return [own]
  return [own, { uri: `${own.uri}/text`, name: `${name} (text)`, mimeType: plain }]
}

/** The id in a URI, '' in that of the list, and whether it is the URI of a text; `undefined`: another URI. */
function partsOf(uri: string): { id: string; text: boolean } | undefined {
  const [, id, text] = /^tab:\/\/\/([\w-]{0,64})(\/text)?$/.exec(uri) ?? []
  if (id === undefined || (id === '' && text !== undefined)) return undefined
  return { id, text: text !== undefined }
}

/**
 * The order of listings as text: the list, the active tab, then by id, a text after its tab. Shorter ids first, so that
 * numbers are in their order.
 */
function orderOf(uri: string): string {
  const { id, text } = partsOf(uri) ?? { id: '', text: false }
  if (uri === base || uri === activeUri) return uri === base ? '' : '0'
  return `${String(id.length).padStart(2, '0')}${id}${text ? '/' : ''}`
}
