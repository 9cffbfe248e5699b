/** The text that a tab shares. */

import { lazily } from '../module.ts'
import { all, contains, isOfDraft, outermost } from './page-dom.ts'
import type { TabText } from './tab-list.ts'

/** The most text of a tab. */
const maxText = 200_000 // UTF-16 code units

/** The shared text of a tab. */
export interface OwnText {
  /** The tab will be read: its source is mounted. */
  prepare(): void
  read(): Promise<TabText>
  /** Whether a mutation may have changed the text. */
  concerns(record: MutationRecord): boolean
}

/**
 * The visible text of this document, as in `page:///text`.
 *
 * @param selectors - of the elements, in the order of the document
 * @throws a `DOMException` named `SyntaxError` if a selector does not parse
 */
export function textWithin(selectors: readonly string[]): OwnText {
  const selector = selectors.join(',')
  all(selector) // one that does not parse throws here, not at a read
  const concerns = (record: MutationRecord) =>
    !isOfDraft(record) &&
    all(selector).some(
      (element) => contains(element, record.target) || contains(record.target, element),
    )
  const load = () => lazily('page-content.js', import('./page-content.ts'))
  const read = async () => {
    const { textOf } = await load()
    return cutText(textOf(outermost(all(selector))))
  }
  return { prepare: () => void load(), read, concerns }
}

/** The text of another tab, which may be any script of this origin. */
export function receivedText({ text, cut }: TabText): TabText {
  const own = cutText(text)
  return { text: own.text.toWellFormed(), cut: own.cut || cut === true }
}

function cutText(text: string): TabText {
  if (text.length <= maxText) return { text, cut: false }
  return { text: text.slice(0, maxText).replace(/[\ud800-\udbff]$/, ''), cut: true }
}
