/**
 * What can be read of the document: a file of its own in the package, loaded by the first read of `page`, and
 * of the text of a tab.
 *
 * No module with state may be imported here: index.js would have it, too.
 */

import { metaOf } from './page-meta.ts'
import { outlineOf } from './page-outline.ts'
import { textWriter, writeText } from './page-text.ts'
import { visibilityReader } from './page-visible.ts'

export { visibleText } from './page-text.ts'

/** The parts of a page. */
export type PagePart = 'text' | 'selection' | 'outline' | 'meta'

/**
 * The content of a part.
 *
 * @param roots - the elements, in the order of the document; none is in another one
 */
export function contentOf(
  part: PagePart,
  roots: readonly Element[],
): { text: string; lossy: string[] } {
  if (part === 'meta') {
    const { meta, lossy } = metaOf()
    return { text: JSON.stringify(meta), lossy }
  }
  const reader = visibilityReader()
  let lossy: string[] = []
  let text: string
  if (part === 'outline') {
    const { outline, lossy: values } = outlineOf(roots, reader)
    text = JSON.stringify(outline)
    lossy = values
  } else {
    text = part === 'text' ? textOf(roots, reader) : selectedText(roots, reader)
  }
  return { text, lossy: reader.omitted() ? [''] : lossy }
}

/** The text of elements; none is in another one. */
export function textOf(roots: readonly Element[], reader = visibilityReader()): string {
  const out = textWriter()
  for (const root of roots) {
    const place = reader.find(root)
    if (place !== undefined) writeText(root, place, reader, out)
    out.break(2)
  }
  return out.done()
}

/**
 * The selected text within some elements; '' if there is none. A selection inside of a field is part
 * of its value, and is left out.
 */
function selectedText(roots: readonly Element[], reader = visibilityReader()): string {
  const selection = Document.prototype.getSelection.call(document)
  if (selection === null || selection.isCollapsed) return ''
  const ranges = Array.from({ length: selection.rangeCount }, (_, i) => selection.getRangeAt(i))
  const intersects = (range: Range, node: Node) => Range.prototype.intersectsNode.call(range, node)
  const out = textWriter()
  for (const root of roots) {
    if (!ranges.some((range) => intersects(range, root))) continue
    const place = reader.find(root)
    if (place === undefined) continue
    writeText(root, place, reader, out, (text, within) => {
      const parts = ranges.map((range) => {
        if (!intersects(range, text)) return ''
        const from = range.startContainer === text ? range.startOffset : 0
        const to = range.endContainer === text ? range.endOffset : Number.POSITIVE_INFINITY
        return reader.text(text, within, from, to)
      })
      return parts.join('')
    })
    out.break(1)
  }
  return out.done()
}
