/**
 * What can be read of the document: a file of its own in the package, loaded by the first read of `page`, and
 * of the text of a tab.
 *
 * No module with state may be imported here: index.js would have it, too.
 */

import { metaOf } from './page-meta.ts'
import { outlineOf } from './page-outline.ts'
import { selectedText } from './page-selection.ts'
import { textWriter, writeText } from './page-text.ts'
import { type VisibilityReader, visibilityReader } from './page-visible.ts'

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
  switch (part) {
    case 'meta': {
      const { meta, lossy } = metaOf()
      return { text: JSON.stringify(meta), lossy }
    }
    case 'outline': {
      const reader = visibilityReader()
      const { outline, lossy } = outlineOf(roots, reader)
      return { text: JSON.stringify(outline), lossy: reader.omitted() ? [''] : lossy }
    }
    case 'selection':
      return plainText((reader) => selectedText(roots, reader))
    default:
      return plainText((reader) => textOf(roots, reader))
  }
}

function plainText(make: (reader: VisibilityReader) => string) {
  const reader = visibilityReader()
  return { text: make(reader), lossy: reader.omitted() ? [''] : [] }
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
