/**
 * The outline of a page: its headings, landmarks and form fields, in the order of the document. A
 * field has its label, never its value.
 *
 * @see https://www.w3.org/TR/html-aria/
 */

import { redacted } from '../redact.ts'
import {
  all,
  attribute,
  childrenOf,
  isAriaHidden,
  isDraft,
  isElement,
  isRendered,
  isWithin,
  rectOf,
  tagOf,
  treeOf,
} from './page-dom.ts'

import { lineOf } from './page-text.ts'
import type { Place, VisibilityReader } from './page-visible.ts'

/** One part of an outline. */
export interface OutlineItem {
  /** `heading`, `field`, `group`, or a landmark: `main`, `navigation`, `region` … */
  role: string
  /** The visible text of its heading or label; a landmark may have none. */
  name?: string
  /** Of a heading: 1 to 6. */
  level?: number
  /** Of a field: its type, such as `email`, `checkbox`, `textarea`, `select`; `textbox` of editable content. */
  type?: string
  required?: boolean
  /** Of a field that is not empty: `redacted`. */
  value?: string
}

const landmarks: { readonly [tag: string]: string } = {
  main: 'main',
  nav: 'navigation',
  aside: 'complementary',
  article: 'article',
  search: 'search',
  form: 'form',
}

const landmarkRole =
  /^(?:main|navigation|complementary|article|search|form|banner|contentinfo|region)$/

/** The outline of some elements; `lossy` has a JSON Pointer for each removed value. */
export function outlineOf(roots: readonly Element[], reader: VisibilityReader) {
  const outline: OutlineItem[] = []
  const lossy: string[] = []

  /** Names contain only text that may be read, wherever the reference points. */
  const named = (labels: Iterable<Element>) =>
    [...labels]
      .filter((label) => isWithin(roots, label))
      .map((label) => lineOf(label, reader))
      .filter((line) => line !== '')
      .join(' ') || undefined

  const labelledBy = (element: Element) => {
    const ids = attribute(element, 'aria-labelledby')?.split(/\s+/) ?? []
    return named(
      ids.flatMap((id) =>
        id === '' ? [] : all(`#${CSS.escape(id)}`, treeOf(element)).slice(0, 1),
      ),
    )
  }

  const visit = (element: Element, place: Place) => {
    const heading = headingOf(element)
    const landmark = heading ? undefined : landmarkOf(element)
    if (heading !== undefined || (landmark === undefined && tagOf(element) === 'legend')) {
      const name = lineOf(element, reader, place)
      if (name !== '') outline.push({ ...(heading ?? { role: 'group' }), name })
    } else if (landmark !== undefined && hasBox(element)) {
      outline.push({ role: landmark, name: labelledBy(element) })
    }
    for (const child of childrenOf(element)) {
      if (!isElement(child)) continue
      field(child, place)
      const inner = reader.enter(child, place)
      if (inner !== undefined) visit(child, inner)
    }
  }

  /** Editable elements are fields, too. */
  const field = (element: Element, within: Place) => {
    const platform = platforms().find((one) => element instanceof one)?.prototype
    if (platform === undefined && !isDraft(element)) return
    const own = (name: string) => platform && Reflect.get(platform, name, element)
    const tag = tagOf(element)
    const type: string = platform ? (tag === 'input' ? own('type') : tag) : 'textbox'
    if (/^(?:hidden|submit|reset|button|image)$/.test(type) || !isShown(element, within)) return
    const labels: Iterable<Element> = own('labels') ?? []
    const item: OutlineItem = { role: 'field', type, name: labelledBy(element) ?? named(labels) }
    if (platform && attribute(element, 'required') !== undefined) item.required = true
    const value = platform ? own('value') : Reflect.get(Node.prototype, 'textContent', element)
    // Whether one is checked is a value, and a password may be empty.
    if (/^(?:checkbox|radio|password)$/.test(type) || value !== '') {
      lossy.push(`/${outline.length}/value`)
      item.value = redacted
    }
    outline.push(item)
  }

  for (const root of roots) {
    const place = reader.find(root)
    if (place !== undefined) visit(root, place)
  }
  return { outline, lossy }
}

const platforms = () => [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement]

function isShown(element: Element, within: Place): boolean {
  if (attribute(element, 'data-mcp-private') !== undefined) return false
  if (isAriaHidden(element) || within.display === 'none') return false
  // A checkbox may be made invisible, and drawn by its label: only one that is not rendered is left out.
  if (!isRendered(element, { visibilityProperty: true })) return false
  return Number.parseFloat(getComputedStyle(element).opacity) > 0 || hasBox(element)
}

function hasBox(element: Element): boolean {
  const { width, height } = rectOf(element)
  return width > 1 && height > 1
}

const roleOf = (element: Element) => attribute(element, 'role')?.trim().toLowerCase()

function headingOf(element: Element): OutlineItem | undefined {
  const role = roleOf(element)
  const own = /^h([1-6])$/.exec(tagOf(element))?.[1]
  if (role !== 'heading' && (role !== undefined || own === undefined)) return undefined
  const level = Number(role === undefined ? own : (attribute(element, 'aria-level') ?? own ?? 2))
  return level >= 1 && level <= 9 ? { role: 'heading', level } : undefined
}

function landmarkOf(element: Element): string | undefined {
  const role = roleOf(element)
  if (role !== undefined) return landmarkRole.test(role) ? role : undefined
  const tag = tagOf(element)
  if (tag === 'section') return attribute(element, 'aria-labelledby') ? 'region' : undefined
  if (tag === 'header' || tag === 'footer') {
    // Of the page, not of a section.
    const outer = Element.prototype.closest.call(element, 'article, aside, main, nav, section')
    return outer !== null ? undefined : tag === 'header' ? 'banner' : 'contentinfo'
  }
  return Object.hasOwn(landmarks, tag) ? landmarks[tag] : undefined
}
