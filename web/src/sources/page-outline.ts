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
    const tag = tagOf(element)
    const role = attribute(element, 'role')?.trim().toLowerCase()
    const level = headingLevel(element, tag, role)
    if (level !== undefined) {
      const name = lineOf(element, reader, place)
      if (name !== '') outline.push({ role: 'heading', level, name })
    } else {
      const landmark = landmarkOf(tag, role, element)
      if (landmark !== undefined && hasBox(element)) {
        outline.push({ role: landmark, name: labelledBy(element) })
      } else if (tag === 'legend') {
        const name = lineOf(element, reader, place)
        if (name !== '') outline.push({ role: 'group', name })
      }
    }
    for (const child of childrenOf(element)) {
      if (!isElement(child)) continue
      if (isField(child)) field(child, place)
      else if (isDraft(child)) draft(child, place)
      const inner = reader.enter(child, place)
      if (inner !== undefined) visit(child, inner)
    }
  }

  const field = (element: Field, within: Place) => {
    const type =
      tagOf(element) === 'input'
        ? (Reflect.get(HTMLInputElement.prototype, 'type', element) as string)
        : tagOf(element)
    if (/^(?:hidden|submit|reset|button|image)$/.test(type)) return
    if (!isShown(element, within)) return
    const labels = Reflect.get(platform(element), 'labels', element) as NodeListOf<Element> | null
    const item: OutlineItem = {
      role: 'field',
      type,
      name: labelledBy(element) ?? named(labels ?? []),
    }
    if (attribute(element, 'required') !== undefined) item.required = true
    if (holdsValue(element, type)) {
      lossy.push(`/${outline.length}/value`)
      item.value = redacted
    }
    outline.push(item)
  }

  /** Editable elements are fields, too. */
  const draft = (element: Element, within: Place) => {
    if (!isShown(element, within)) return
    const item: OutlineItem = { role: 'field', type: 'textbox', name: labelledBy(element) }
    if (Reflect.get(Node.prototype, 'textContent', element) !== '') {
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

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function isField(element: Element): element is Field {
  return platform(element as Field) !== undefined
}

function platform(element: Field): object {
  if (element instanceof HTMLInputElement) return HTMLInputElement.prototype
  if (element instanceof HTMLSelectElement) return HTMLSelectElement.prototype
  return (
    element instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : undefined
  ) as object
}

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

/** Whether a field has a value; always true of passwords and similar fields. */
function holdsValue(element: Field, type: string): boolean {
  if (type === 'checkbox' || type === 'radio') return true // checked or not
  return type === 'password' || Reflect.get(platform(element), 'value', element) !== ''
}

function headingLevel(element: Element, tag: string, role: string | undefined): number | undefined {
  if (role === undefined || role === 'heading') {
    const own = /^h([1-6])$/.exec(tag)?.[1]
    const level =
      role === 'heading' ? Number(attribute(element, 'aria-level') ?? own ?? 2) : Number(own)
    if (level >= 1 && level <= 9) return level
  }
  return undefined
}

function landmarkOf(tag: string, role: string | undefined, element: Element): string | undefined {
  if (role !== undefined) return landmarkRole.test(role) ? role : undefined
  if (tag === 'section') return attribute(element, 'aria-labelledby') ? 'region' : undefined
  if (tag === 'header') return isTop(element) ? 'banner' : undefined
  if (tag === 'footer') return isTop(element) ? 'contentinfo' : undefined
  return Object.hasOwn(landmarks, tag) ? landmarks[tag] : undefined
}

/** A landmark of the page, not of a section. */
function isTop(element: Element): boolean {
  return Element.prototype.closest.call(element, 'article, aside, main, nav, section') === null
}
