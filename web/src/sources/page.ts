import { rankCompletions } from '../complete.ts'
import { metaLossy } from '../contents.ts'
import { lazily } from '../module.ts'
import { NotFoundError, type Resource, type Source } from '../source.ts'
import { nameSegment } from './idb-keys.ts'
import { commonOptions, type SourceOptions, wrongOption } from './options.ts'
import type { PagePart } from './page-content.ts'
import { all, outermost } from './page-dom.ts'
import { isSelecting } from './page-selection.ts'
import { watchPage } from './page-watch.ts'

export type { PagePart }

/** The elements that may be read. There is no default: `['body']` is all visible content. */
export interface PageOptions extends SourceOptions {
  /**
   * CSS selectors of the elements that may be read, or selectors by name: each name then has
   * resources of its own. Elements in shadow trees are read with their host, and cannot be selected.
   */
  select: readonly [string, ...string[]] | { readonly [name: string]: string }
  /** The parts that are served; default: all. */
  parts?: readonly PagePart[]
}

const kinds: { readonly [part in PagePart]: { name: string; mimeType: string; about: string } } = {
  text: { name: 'Text', mimeType: 'text/plain', about: 'The text that a user can see' },
  selection: {
    name: 'Selection',
    mimeType: 'text/plain',
    about: 'The text that the user has selected',
  },
  outline: {
    name: 'Outline',
    mimeType: 'application/json',
    about: 'Headings, landmarks and form labels',
  },
  meta: {
    name: 'About the page',
    mimeType: 'application/json',
    about: 'Title, URL, language, description, canonical URL and JSON-LD',
  },
}

const order: readonly PagePart[] = ['text', 'selection', 'outline', 'meta']

/** The parts that each name has, too. */
const ofNames: readonly PagePart[] = ['text', 'outline']

/**
 * Publishes the visible content of this document, read-only, in the window:
 *
 * | URI | type | content |
 * |---|---|---|
 * | `page:///text` | `text/plain` | the text of the selected elements, as lines |
 * | `page:///selection` | `text/plain` | the selected part of that |
 * | `page:///outline` | `application/json` | headings, landmarks and form labels; values are `redacted` |
 * | `page:///meta` | `application/json` | of the document: title, URL, language, description, canonical URL, JSON-LD |
 * | `page:///{name}/{part}` | | `text` and `outline` of one name of `select` |
 *
 * Hidden text is left out (page-visible.ts lists the rules), and so are names for screen readers,
 * alternative texts, tooltips, private content ({@link isPrivateElement}) and all values of forms. Secrets
 * are removed from URLs ({@link redactUrl}). A content without its private parts is marked: `_meta["io.github.pagemcp/lossy"]` has JSON Pointers, or `['']`
 * for the whole.
 *
 * Changes of the document, of open shadow trees within the elements, of the selection and of the URL
 * are announced, at most ten times a second. Not noticed: rules that scripts write into style
 * sheets, and effects of selectors such as `:hover`.
 *
 * @param options.select - which elements; required
 * @returns a source (Go's `engine.Source`, `engine.Watcher`, `engine.Completer`)
 * @throws TypeError if `select` names nothing; a `DOMException` named `SyntaxError` if a selector does
 *   not parse
 */
export function page(options: PageOptions): Source {
  const { signal: ends } = commonOptions('page', options)
  const { names, whole } = selectors(options)
  if (options.parts !== undefined && !isParts(options.parts)) {
    throw wrongOption('page', 'parts', `an array of ${order.join(', ')}`, options.parts)
  }
  const parts = order.filter((part) => options.parts?.includes(part) ?? true)
  const resources = [
    ...parts.map((part) => resource(`page:///${part}`, part)),
    ...[...names.keys()].flatMap((name) =>
      parts
        .filter((part) => ofNames.includes(part))
        .map((part) => resource(`page:///${nameSegment(name)}/${part}`, part, name)),
    ),
  ]
  const places = new Map<string, { part: PagePart; selector: string }>()
  for (const part of parts) places.set(`page:///${part}`, { part, selector: whole })
  for (const [name, selector] of names) {
    for (const part of parts) {
      if (ofNames.includes(part))
        places.set(`page:///${nameSegment(name)}/${part}`, { part, selector })
    }
  }
  const named = names.size > 0 && parts.some((part) => ofNames.includes(part))

  const load = () => lazily('page-content.js', import('./page-content.ts'))
  return {
    mounted: () => void load(),
    list: async () => ({ resources }),

    async read(uri) {
      const place = places.get(uri)
      if (place === undefined) throw new NotFoundError(uri)
      const { mimeType } = kinds[place.part]
      const { contentOf } = await load()
      const { text, lossy } = contentOf(place.part, rootsOf(place.selector))
      const _meta = lossy.length > 0 ? { [metaLossy]: lossy } : undefined
      return [{ uri, mimeType, text, _meta }]
    },

    ...(named && {
      templates: async () => [
        {
          uriTemplate: 'page:///{name}/{part}',
          name: 'Part of the page',
          description: `The text or outline of one of: ${[...names.keys()].join(', ')}.`,
        },
      ],
      async complete(_: unknown, { name, value }: { name: string; value: string }) {
        if (name === 'name') return rankCompletions([...names.keys()], value)
        return name === 'part'
          ? rankCompletions(
              parts.filter((part) => ofNames.includes(part)),
              value,
            )
          : []
      },
    }),

    watch(changed, listening) {
      const signal = ends ? AbortSignal.any([listening, ends]) : listening
      if (signal.aborted) return
      const watched = [['', whole] as const, ...names]
      const finders = watched.map(([, selector]) => ({ selector, roots: () => rootsOf(selector) }))
      watchPage(
        finders,
        (change) => {
          for (const number of change.parts) {
            const name = watched[number]?.[0] ?? ''
            const before = name === '' ? 'page:///' : `page:///${nameSegment(name)}/`
            for (const part of ofNames) if (places.has(before + part)) changed(before + part)
          }
          if (change.meta && places.has('page:///meta')) changed('page:///meta')
          const selecting = change.selection || (change.parts.has(0) && isSelecting(rootsOf(whole)))
          if (selecting && places.has('page:///selection')) changed('page:///selection')
        },
        signal,
      )
    },
  }
}

function isParts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => order.includes(one))
}

function selectors({ select }: PageOptions): { names: Map<string, string>; whole: string } {
  const byName = typeof select === 'object' && !Array.isArray(select) ? select : {}
  const names = new Map(Object.entries(byName))
  const list: unknown[] = Array.isArray(select) ? select : [...names.values()]
  if (list.length === 0 || list.some((one) => typeof one !== 'string' || one.trim() === '')) {
    throw wrongOption('page', 'select', "an array of selectors such as ['main']", select)
  }
  for (const one of list) all(one as string) // one that does not parse throws here, not at a read
  return { names, whole: list.join(',') }
}

function resource(uri: string, part: PagePart, of?: string): Resource {
  const { name, mimeType, about } = kinds[part]
  return of === undefined
    ? { uri, name, description: `${about}.`, mimeType }
    : { uri, name: `${name} of ${of}`, description: `${about}, of the part "${of}".`, mimeType }
}

/** The elements, in the order of the document, without those that are in another one. */
const rootsOf = (selector: string) => outermost(all(selector))
