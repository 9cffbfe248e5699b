/**
 * What can be read of the document: a file of its own in the package, loaded by the first read of `page`, and
 * of the text of a tab. {@link visibleText} of `pagemcp/sources` is in it, too.
 *
 * No module with state may be imported here: index.js would have it, too.
 */

import { lazily } from '../module.ts'
import { copyOf } from './page-copy.ts'
import { all, contains } from './page-dom.ts'
import { metaOf } from './page-meta.ts'
import { outlineOf } from './page-outline.ts'
import { selectedText } from './page-selection.ts'
import { textWriter, writeText } from './page-text.ts'
import { type VisibilityReader, visibilityReader } from './page-visible.ts'

export { visibleText } from './page-text.ts'

/** The parts of a page. */
export type PagePart = 'text' | 'selection' | 'outline' | 'meta' | 'markdown'

/**
 * The content of a part.
 *
 * @param rootsOf - the elements, in the order of the document; none is in another one
 */
export async function contentOf(
  part: PagePart,
  rootsOf: () => Element[],
): Promise<{ text: string; lossy: string[] }> {
  const toMarkdown = part === 'markdown' ? await converter() : undefined
  const roots = rootsOf() // after waiting: the page may have changed meanwhile
  switch (part) {
    case 'meta': {
      const { meta, lossy } = metaOf()
      return { text: JSON.stringify(meta), lossy }
    }
    case 'outline': {
      const reader = visibilityReader()
      const { outline, lossy } = outlineOf(roots, reader)
      return { text: JSON.stringify(outline), lossy: reader.omitted ? [''] : lossy }
    }
    case 'markdown': {
      const reader = visibilityReader()
      const { copy, lossy } = copyOf(mainOf(roots, reader), reader)
      return { text: toMarkdown?.(copy) ?? '', lossy: lossy || reader.omitted ? [''] : [] }
    }
    case 'selection':
      return plainText((reader) => selectedText(roots, reader))
    default:
      return plainText((reader) => textOf(roots, reader))
  }
}

function plainText(make: (reader: VisibilityReader) => string) {
  const reader = visibilityReader()
  return { text: make(reader), lossy: reader.omitted ? [''] : [] }
}

async function converter(): Promise<(element: HTMLElement) => string> {
  return (await lazily('markdown.js', import('../markdown.ts'))).toMarkdown
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

/** The main content of each element: its only `main` or `article`, or else the element. */
function mainOf(roots: Element[], reader: VisibilityReader): Element[] {
  const seen = (root: Element, selector: string) =>
    all(selector).filter(
      (one) => one !== root && contains(root, one) && reader.find(one) !== undefined,
    )
  return roots.map((root) => {
    for (const selector of ['main, [role=main]', 'article, [role=article]']) {
      const found = seen(root, selector)
      if (found.length === 1) return found[0] as Element
    }
    return root
  })
}
