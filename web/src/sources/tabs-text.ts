/** The text that a tab shares. */

import { all, contains, isOfDraft } from './page-dom.ts'
import { textWriter, writeText } from './page-text.ts'
import { visibilityReader } from './page-visible.ts'
import type { TabText } from './tabs-messages.ts'

/** The shared text of a tab. */
export interface OwnText {
  read(): TabText
  /** Whether a mutation may have changed the text. */
  concerns(record: MutationRecord): boolean
}

/**
 * The visible text of this document, as in `page:///text`.
 *
 * @param selectors - of the elements, in the order of the document
 * @param limit - UTF-16 code units
 * @throws a `DOMException` named `SyntaxError` if a selector does not parse
 */
export function textWithin(selectors: readonly string[], limit: number): OwnText {
  const selector = selectors.join(',')
  all(selector) // one that does not parse throws here, not at a read
  const concerns = (record: MutationRecord) =>
    !isOfDraft(record) &&
    all(selector).some(
      (element) => contains(element, record.target) || contains(record.target, element),
    )
  const read = () => {
    const reader = visibilityReader()
    const out = textWriter()
    let before: Element | undefined
    for (const element of all(selector)) {
      if (before !== undefined && contains(before, element)) continue // included already
      before = element
      const place = reader.find(element)
      if (place !== undefined) writeText(element, place, reader, out)
      out.break(2)
    }
    const text = out.done()
    if (text.length <= limit) return { text, cut: false }
    return { text: text.slice(0, limit).replace(/[\ud800-\udbff]$/, ''), cut: true }
  }
  return { read, concerns }
}
