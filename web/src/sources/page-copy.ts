/**
 * A copy of the visible content, for the converter to Markdown: in an inert document that loads and runs
 * nothing, made of a few plain elements, whose only attributes are those of links and pictures.
 */

import { redactUrl } from '../redact.ts'
import { attribute, childrenOf, isElement, isText, ofDocument, rectOf, tagOf } from './page-dom.ts'
import { absolute } from './page-meta.ts'
import type { Place } from './page-place.ts'
import type { VisibilityReader } from './page-visible.ts'

/** Elements that are copied. */
const allowedTags = new Set(
  'p h1 h2 h3 h4 h5 h6 em strong b i code kbd samp pre blockquote ul ol li dl dt dd table caption thead tbody tfoot tr th td hr br del s sub sup figure figcaption'.split(
    ' ',
  ),
)

/** Elements around the main content. */
const aside = new Set('nav aside button menu dialog'.split(' '))
const asideRole =
  /^(?:navigation|complementary|search|banner|contentinfo|button|menu|menubar|toolbar|dialog|alertdialog|tablist)$/

/** Copies elements; `lossy`: a URL was redacted or left out. */
export function copyOf(
  roots: readonly Element[],
  reader: VisibilityReader,
): { copy: HTMLElement; lossy: boolean } {
  const inert = ofDocument<DOMImplementation>('implementation').createHTMLDocument('')
  const copy = inert.createElement('div')
  let lossy = false

  const copyInto = (element: Element, place: Place, target: HTMLElement) => {
    for (const child of childrenOf(element)) {
      if (isText(child)) {
        const text = reader.text(child, place)
        if (text !== '') target.append(text)
      } else if (isElement(child)) {
        const tag = tagOf(child)
        const role = attribute(child, 'role')?.trim().toLowerCase() ?? ''
        if (aside.has(tag) || asideRole.test(role)) continue
        const inner = reader.enter(child, place)
        if (inner !== undefined) one(child, tag, inner, target)
        // An empty cell keeps the following ones in their columns.
        else if (getComputedStyle(child).display === 'table-cell') append(tag, target)
      }
    }
  }

  const one = (element: Element, tag: string, place: Place, target: HTMLElement) => {
    if (tag === 'img') {
      const { width, height } = rectOf(element)
      const source = webUrl(attribute(element, 'src'))
      if (place.style.visibility !== 'visible' || width <= 1 || height <= 1) return
      if (source === undefined) {
        lossy = true
        return
      }
      append('img', target).setAttribute('src', source)
      return
    }
    const href = tag === 'a' ? webUrl(attribute(element, 'href')) : undefined
    if (href !== undefined) {
      const link = append('a', target)
      link.setAttribute('href', href)
      copyInto(element, place, link)
      return
    }
    const block = !/^(?:inline|contents)/.test(place.display)
    const to = append(allowedTags.has(tag) ? tag : block ? 'div' : 'span', target)
    const start = tag === 'ol' ? attribute(element, 'start') : undefined
    if (start !== undefined && /^\d{1,6}$/.test(start)) to.setAttribute('start', start)
    copyInto(element, place, to)
  }

  const append = (tag: string, target: HTMLElement) => target.appendChild(inert.createElement(tag))

  /** Links with schemes that are useful outside of the page. */
  const webUrl = (reference: string | undefined) => {
    const url = absolute(reference)
    if (url === undefined || !/^(?:https?|mailto|tel):/.test(url)) return undefined
    const clean = redactUrl(url)
    if (clean !== url) lossy = true
    return clean
  }

  for (const root of roots) {
    const place = reader.find(root)
    if (place !== undefined) one(root, tagOf(root), place, copy)
  }
  return { copy, lossy }
}
