/** The text of elements as a user reads it: blocks on lines of their own, blanks as they are shown. */

import { childrenOf, isElement, isText, tagOf } from './page-dom.ts'

import { type Place, type VisibilityReader, visibilityReader } from './page-visible.ts'

/** How lines come about. */
export interface TextWriter {
  text(part: string, pre: boolean): void
  /** At least this many line ends: 1 begins a line, 2 leaves one empty. */
  break(lines: number): void
  /** A line end within a block. */
  newLine(): void
  tab(): void
  done(): string
}

/** Puts text together. Only the line that is being written is looked at again. */
export function textWriter(): TextWriter {
  const past: string[] = [] // lines, and what is between them
  let line = ''
  let lines = 0 // wanted before the next text
  let blank = false // wanted before the next text, unless a line begins
  const begin = () => {
    const begun = line !== '' || past.length > 0
    if (begun && lines > 0) {
      past.push(line.trimEnd(), '\n'.repeat(lines))
      line = ''
    } else if (blank && line !== '' && !/\s$/.test(line)) {
      line += ' '
    }
    lines = 0
    blank = false
  }
  return {
    text(part, pre) {
      if (pre) {
        if (part === '') return
        begin()
        const end = part.lastIndexOf('\n') + 1
        if (end > 0) past.push(line, part.slice(0, end))
        line = end > 0 ? part.slice(end) : line + part
        return
      }
      const words = part.replace(/[\t\n\f\r ]+/g, ' ')
      if (words.startsWith(' ')) blank = true
      const trimmed = words.replace(/^ | $/g, '')
      if (trimmed === '') return
      begin()
      line += trimmed
      blank = words.endsWith(' ')
    },
    break(wanted) {
      lines = Math.max(lines, wanted)
    },
    newLine() {
      begin()
      past.push(line.trimEnd(), '\n')
      line = ''
    },
    tab() {
      if (line === '' || lines > 0) return
      line += '\t'
      blank = false
    },
    done: () => (past.join('') + line).trimEnd(),
  }
}

const spaced = new Set(
  'p h1 h2 h3 h4 h5 h6 blockquote pre ul ol dl table figure article section hr'.split(' '),
)

/** Writes what can be seen of an element: `within` is its place, and the rest of the document aside. */
export function writeText(
  element: Element,
  within: Place,
  reader: VisibilityReader,
  out: TextWriter,
  part: (text: Text, within: Place) => string = (text, place) => reader.text(text, place),
): void {
  const tag = tagOf(element)
  if (tag === 'br') {
    out.newLine()
    return
  }
  const { display } = within
  const inline = /^(?:inline|contents|ruby|table-cell|math)/.test(display)
  const lines = inline ? 0 : spaced.has(tag) ? 2 : 1
  if (display === 'table-cell') out.tab()
  out.break(lines)
  let pre: boolean | undefined
  for (const child of childrenOf(element)) {
    if (isText(child)) {
      pre ??= /^(?:pre|break-spaces)/.test(within.style.whiteSpace)
      out.text(part(child, within), pre)
    } else if (isElement(child)) {
      const place = reader.enter(child, within)
      if (place !== undefined) writeText(child, place, reader, out, part)
    }
  }
  out.break(lines)
}

/**
 * The text of an element that a user can see, such as `document.body`: blocks on lines of their own. Hidden
 * text and values of fields are left out; in doubt, text counts as hidden. Lays out the document, and takes
 * about a microsecond per property of each element.
 *
 * @returns '' if nothing of the element can be seen
 */
export function visibleText(element: Element): string {
  const reader = visibilityReader()
  const place = reader.find(element)
  if (place === undefined) return ''
  const out = textWriter()
  writeText(element, place, reader, out)
  return out.done()
}

/** The text of one element, on one line; '' if nothing of it can be seen. */
export function lineOf(
  element: Element,
  reader: VisibilityReader,
  place = reader.find(element),
): string {
  if (place === undefined) return ''
  const out = textWriter()
  writeText(element, place, reader, out)
  return out.done().replace(/\s+/g, ' ')
}
