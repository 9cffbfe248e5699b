/**
 * Markdown as a tree: the blocks of CommonMark that texts of servers have, and tables and tasks. HTML and
 * definitions of links are text. It is our own: libraries weigh 16 KB, five times as much, and take minutes for
 * hostile texts.
 */

import { type Element, inline, maxDepth, type Part } from './markdown-inline.ts'

const fence = /^ {0,3}(`{3,}|~{3,})([^`]*)$/
const heading = /^ {0,3}(#{1,6})(?=[ \t]|$)/
const rule = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
const quote = /^ {0,3}> ?/
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])(?=[ \t]|$)/
const setext = /^ {0,3}(=+|-+)[ \t]*$/
const columns = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
const task = /^\[([ xX])\][ \t]+/

/** The elements of a text: `h1` to `h6`, `p`, `pre`, `blockquote`, `ul`, `ol`, `li`, `table`, `tr`, `th`, `td`, `hr`. */
export function blocks(text: string): readonly Part[] {
  return blocksOf(text.replace(/\r\n?/g, '\n').replaceAll('\t', '    ').split('\n'), 0)
}

function blocksOf(lines: readonly string[], depth: number): readonly Part[] {
  if (depth > maxDepth) return [lines.join('\n')]
  const found: Part[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string
    if (line.trim() === '') {
      at++
      continue
    }
    const [next, block] =
      codeAt(lines, at) ??
      headingAt(line, at) ??
      (rule.test(line) ? ([at + 1, { tag: 'hr', parts: [] }] as const) : undefined) ??
      quoteAt(lines, at, depth) ??
      listAt(lines, at, depth) ??
      tableAt(lines, at) ??
      paragraphAt(lines, at)
    found.push(block)
    at = next
  }
  return found
}

type Found = readonly [next: number, block: Element]

function codeAt(lines: readonly string[], at: number): Found | undefined {
  const line = lines[at] as string
  const [, open] = fence.exec(line) ?? []
  const code: string[] = []
  let next = at
  if (open) {
    const close = new RegExp(`^ {0,3}[${open[0]}]{${open.length},}[ \\t]*$`)
    for (next = at + 1; next < lines.length && !close.test(lines[next] as string); next++) {
      code.push(lines[next] as string)
    }
    next++
  } else {
    for (; next < lines.length && /^( {4}|\s*$)/.test(lines[next] as string); next++) {
      code.push((lines[next] as string).slice(4))
    }
    if (next === at) return undefined
    while (code.at(-1)?.trim() === '') code.pop()
  }
  return [next, { tag: 'pre', parts: [code.join('\n')] }]
}

function headingAt(line: string, at: number): Found | undefined {
  const [whole, marks] = heading.exec(line) ?? []
  if (!whole || !marks) return undefined
  let text = line.slice(whole.length).trim()
  let end = text.length
  while (text[end - 1] === '#') end--
  if (end < text.length && (end === 0 || text[end - 1] === ' ')) text = text.slice(0, end).trimEnd()
  return [at + 1, { tag: `h${marks.length}`, parts: inline(text) }]
}

/** Whether a line continues a paragraph without the marker of its quote or item. */
const continues = (line: string) =>
  line.trim() !== '' &&
  !fence.test(line) &&
  !heading.test(line) &&
  !rule.test(line) &&
  !quote.test(line) &&
  !bullet.test(line)

function quoteAt(lines: readonly string[], at: number, depth: number): Found | undefined {
  if (!quote.test(lines[at] as string)) return undefined
  const inner: string[] = []
  let next = at
  for (; next < lines.length; next++) {
    const line = lines[next] as string
    const lazy = continues(line) && continues(inner.at(-1) ?? '')
    if (!quote.test(line) && !lazy) break
    inner.push(line.replace(quote, ''))
  }
  return [next, { tag: 'blockquote', parts: blocksOf(inner, depth + 1) }]
}

function listAt(lines: readonly string[], at: number, depth: number): Found | undefined {
  const [, , first] = bullet.exec(lines[at] as string) ?? []
  if (first === undefined) return undefined
  const kind = first.at(-1) // the marker, or what follows the number
  const items: Element[] = []
  let next = at
  while (next < lines.length) {
    const line = lines[next] as string
    const [marker, , mark] = bullet.exec(line) ?? []
    if (marker === undefined || mark?.at(-1) !== kind || rule.test(line)) break
    const gap = /^ */.exec(line.slice(marker.length))?.[0].length ?? 0
    const indent = marker.length + (gap >= 1 && gap <= 4 ? gap : 1)
    const inner = [line.slice(indent)]
    for (next++; next < lines.length; next++) {
      const below = lines[next] as string
      const indented = below.startsWith(' '.repeat(indent))
      const blank = below.trim() === ''
      // A blank line belongs to the item if something indented follows.
      if (blank && !lines[next + 1]?.startsWith(' '.repeat(indent))) break
      const lazy = continues(below) && continues(inner.at(-1) ?? '')
      if (!blank && !indented && !lazy) break
      inner.push(indented ? below.slice(indent) : blank ? '' : below.trimStart())
    }
    const done = task.exec(inner[0] as string)?.[1]
    if (done !== undefined) inner[0] = (inner[0] as string).replace(task, '')
    items.push({
      tag: 'li',
      parts: tight(blocksOf(inner, depth + 1)),
      ...(done !== undefined && { done: done !== ' ' }),
    })
    while (lines[next]?.trim() === '' && bullet.exec(lines[next + 1] ?? '')?.[2]?.at(-1) === kind)
      next++
  }
  const start = Number.parseInt(first, 10)
  const ordered = !Number.isNaN(start)
  return [next, { tag: ordered ? 'ol' : 'ul', parts: items, ...(ordered && { start }) }]
}

/** The text of an item is no paragraph of its own. */
function tight(parts: readonly Part[]): readonly Part[] {
  return parts.flatMap((part) =>
    typeof part !== 'string' && part.tag === 'p' ? part.parts : [part],
  )
}

function tableAt(lines: readonly string[], at: number): Found | undefined {
  const line = lines[at] as string
  if (!line.includes('|') || !columns.test(lines[at + 1] ?? '')) return undefined
  const width = cells(lines[at + 1] as string).length
  const row = (text: string, tag: 'th' | 'td'): Element => {
    const all = cells(text)
    const parts = Array.from({ length: width }, (_, i) => ({ tag, parts: inline(all[i] ?? '') }))
    return { tag: 'tr', parts }
  }
  const rows = [row(line, 'th')]
  let next = at + 2
  for (; next < lines.length && (lines[next] as string).includes('|'); next++) {
    rows.push(row(lines[next] as string, 'td'))
  }
  return [next, { tag: 'table', parts: rows }]
}

function cells(line: string): readonly string[] {
  const text = line.trim().replace(/^\|/, '')
  const all = text.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
  if (all.at(-1) === '') all.pop()
  return all
}

function paragraphAt(lines: readonly string[], at: number): Found {
  const text = [(lines[at] as string).trimStart()]
  let next = at + 1
  for (; next < lines.length; next++) {
    const line = lines[next] as string
    const [, underline] = setext.exec(line) ?? []
    if (underline) {
      const tag = underline.startsWith('=') ? 'h1' : 'h2'
      return [next + 1, { tag, parts: inline(text.join('\n').trim()) }]
    }
    if (!continues(line)) break
    text.push(line.trimStart())
  }
  return [next, { tag: 'p', parts: inline(text.join('\n').trimEnd()) }]
}
