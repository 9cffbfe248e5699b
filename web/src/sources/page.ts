import { metaLossy } from '../contents.ts'
import { lazily } from '../module.ts'
import { NotFoundError, type Source } from '../source.ts'
import { wrongOption } from './options.ts'
import type { PagePart } from './page-content.ts'
import { all, outermost } from './page-dom.ts'
import { watchPage } from './page-watch.ts'

export type { PagePart }

/** The elements that may be read. There is no default: `['body']` is all visible content. */
export interface PageOptions {
  /**
   * CSS selectors of the elements that may be read. Elements in shadow trees are read with their host, and cannot be
   * selected.
   */
  select: readonly [string, ...string[]]
  /** The parts that are served; default: all. */
  parts?: readonly PagePart[]
}

const kinds: { readonly [part in PagePart]: readonly [string, string, string] } = {
  text: ['Text', 'text/plain', 'The text that a user can see.'],
  selection: ['Selection', 'text/plain', 'The text that the user has selected.'],
  outline: ['Outline', 'application/json', 'Headings, landmarks and form labels.'],
  meta: ['About the page', 'application/json', 'Title, URL, language, description, canonical URL.'],
}

/**
 * Publishes the visible content of this document, read-only, in the window:
 *
 * | URI | type | content |
 * |---|---|---|
 * | `page:///text` | `text/plain` | the text of the selected elements, as lines |
 * | `page:///selection` | `text/plain` | the selected part of that |
 * | `page:///outline` | `application/json` | headings, landmarks and form labels; values are `redacted` |
 * | `page:///meta` | `application/json` | of the document: title, URL, language, description, canonical URL |
 *
 * For elements apart from each other, mount it several times, each with a prefix.
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
 * @returns a source (Go's `engine.Source`, `engine.Watcher`)
 * @throws TypeError if `select` names nothing; a `DOMException` named `SyntaxError` if a selector does
 *   not parse
 */
export function page(options: PageOptions): Source {
  const { select, parts = Object.keys(kinds) as PagePart[] } = options
  const isSelector = (one: unknown) => typeof one === 'string' && one.trim() !== ''
  if (!Array.isArray(select) || select.length === 0 || !select.every(isSelector)) {
    throw wrongOption('page', 'select', "an array of selectors such as ['main']", select)
  }
  if (!Array.isArray(parts) || !parts.every((part) => Object.hasOwn(kinds, part))) {
    throw wrongOption('page', 'parts', `an array of ${Object.keys(kinds).join(', ')}`, parts)
  }
  for (const one of select) globalThis.document && all(one) // one that does not parse throws here, not at a read
  const selector = select.join(',')
  const resources = parts.map((part: PagePart) => {
    const [name, mimeType, description] = kinds[part]
    return { uri: `page:///${part}`, name, description, mimeType }
  })
  const load = () => lazily('page-content.js', import('./page-content.ts'))
  return {
    mounted: () => void load(),
    list: async () => ({ resources }),

    async read(uri) {
      const part = parts.find((one: PagePart) => uri === `page:///${one}`)
      if (part === undefined) throw new NotFoundError(uri)
      const { contentOf } = await load()
      const { text, lossy } = contentOf(part, outermost(all(selector)))
      const _meta = lossy.length > 0 ? { [metaLossy]: lossy } : undefined
      return [{ uri, mimeType: kinds[part as PagePart][1], text, _meta }]
    },

    watch(changed, signal) {
      const stale = {
        content: ['text', 'outline', 'selection'],
        selection: ['selection'],
        meta: ['meta'],
      }
      const announce = (change: Iterable<keyof typeof stale>) => {
        for (const part of new Set([...change].flatMap((what) => stale[what]))) {
          if (parts.includes(part)) changed(`page:///${part}`)
        }
      }
      watchPage(selector, announce, signal)
    },
  }
}
