/** The text that a tab shares. */

import { lazily } from '../module.ts'
import { all, contains, isOfDraft, outermost } from './page-dom.ts'
import type { TabText } from './tabs-messages.ts'

/** The shared text of a tab. */
export interface OwnText {
  read(): Promise<TabText>
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
  const read = async () => {
    const { textOf } = await lazily('page-content.js', import('./page-content.ts'))
    const text = textOf(outermost(all(selector)))
    if (text.length <= limit) return { text, cut: false }
    return { text: text.slice(0, limit).replace(/[\ud800-\udbff]$/, ''), cut: true }
  }
  return { read, concerns }
}
