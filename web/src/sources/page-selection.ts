/** The selected text that may be read and is visible. */

import { isWithin } from './page-dom.ts'
import { textWriter, writeText } from './page-text.ts'
import type { VisibilityReader } from './page-visible.ts'

/**
 * The selected text within some elements; '' if there is none. A selection inside of a field is part
 * of its value, and is left out.
 */
export function selectedText(roots: readonly Element[], reader: VisibilityReader): string {
  const ranges = selectedRanges()
  if (ranges.length === 0) return ''
  const out = textWriter()
  for (const root of roots) {
    if (!ranges.some((range) => Range.prototype.intersectsNode.call(range, root))) continue
    const place = reader.find(root)
    if (place === undefined) continue
    writeText(root, place, reader, out, (text, within) => {
      let part = ''
      for (const range of ranges) {
        if (!Range.prototype.intersectsNode.call(range, text)) continue
        const from = range.startContainer === text ? range.startOffset : 0
        const to = range.endContainer === text ? range.endOffset : Number.POSITIVE_INFINITY
        part += reader.text(text, within, from, to)
      }
      return part
    })
    out.break(1)
  }
  return out.done()
}

/** Whether anything of some elements is selected. */
export function isSelecting(roots: readonly Element[]): boolean {
  return selectedRanges().some((range) =>
    roots.some(
      (root) =>
        isWithin([root], range.startContainer) || Range.prototype.intersectsNode.call(range, root),
    ),
  )
}

function selectedRanges(): Range[] {
  const selection = Document.prototype.getSelection.call(document)
  if (selection === null || selection.isCollapsed) return []
  return Array.from({ length: selection.rangeCount }, (_, i) => selection.getRangeAt(i))
}
