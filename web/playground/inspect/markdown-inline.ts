/** Markdown inside a line: emphasis, code, links. Any text is parsed in linear time, up to the bounds below. */

/** A part of a text: characters, or an element with parts. `href` and `start` are as in HTML. */
export type Part = string | Element

export interface Element {
  readonly tag: string
  readonly parts: readonly Part[]
  /** Of `a` and `img`: as in the text, unchecked. */
  readonly href?: string
  /** Of `ol`. */
  readonly start?: number
  /** Of `li`: a task, and whether it is done. */
  readonly done?: boolean
}

/** Deeper elements are shown as text: a hostile text could have thousands. */
export const maxDepth = 20

/** How many possible ends of an emphasis are tried. */
const maxEnds = 50

const special = /[\\`*_~![<\n]|https?:\/\//g
const target =
  /\(\s{0,9}<?([^\s<>()]{0,4000}(?:\([^\s<>()]{0,400}\))?[^\s<>()]{0,400})>?(?:\s{1,9}(?:"[^"]{0,400}"|'[^']{0,400}'))?\s{0,9}\)/y
const autolink = /<((?:https?:\/\/|mailto:)[^\s<>]{1,4000})>/y
const bareLink = /https?:\/\/[^\s<>"'`|]{1,4000}/y
const emphases = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'del'],
  ['*', 'em'],
  ['_', 'em'],
] as const

export function inline(text: string, depth = 0): readonly Part[] {
  if (depth > maxDepth) return [text]
  const parts: Part[] = []
  const brackets = closingBrackets(text)
  const missing = new Set<string>() // delimiters without an end in the rest
  let from = 0
  const add = (end: number, next: number, part?: Part) => {
    if (end > from) parts.push(text.slice(from, end))
    if (part !== undefined) parts.push(part)
    from = special.lastIndex = next
  }
  special.lastIndex = 0
  for (let found = special.exec(text); found; found = special.exec(text)) {
    const at = found.index
    const after = special.lastIndex
    const element = (): readonly [end: number, part: Part] | undefined => {
      const char = text[at] as string
      if (char === '\\') {
        const next = text[at + 1] ?? ''
        if (next === '\n') return [at + 2, { tag: 'br', parts: [] }]
        return /[!-/:-@[-`{-~]/.test(next) ? [at + 2, next] : undefined
      }
      if (char === '\n') {
        const hard = text.slice(Math.max(0, at - 2), at) === '  '
        return hard ? [at + 1, { tag: 'br', parts: [] }] : undefined
      }
      if (char === '`') return codeAt(text, at, missing)
      if (char === '[' || char === '!') return linkAt(text, at, brackets, depth)
      if (char === '<') {
        const [whole, href = ''] = matchAt(autolink, text, at) ?? []
        return whole ? [at + whole.length, { tag: 'a', href, parts: [href] }] : undefined
      }
      if (char === 'h') {
        const href = matchAt(bareLink, text, at)?.[0].replace(/[.,:;!?)\]]{1,9}$/, '')
        return href ? [at + href.length, { tag: 'a', href, parts: [href] }] : undefined
      }
      return emphasisAt(text, at, missing, depth)
    }
    const [end, part] = element() ?? [after, undefined]
    if (part === undefined) special.lastIndex = skipRun(text, at, after)
    else add(at, end, part)
  }
  add(text.length, text.length)
  return parts
}

/** A delimiter that opens nothing is text, with all of its repetitions. */
function skipRun(text: string, at: number, after: number): number {
  let end = after
  if ('*_~`'.includes(text[at] as string)) while (text[end] === text[at]) end++
  return end
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** For each opening bracket the place of its closing one. */
function closingBrackets(text: string): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '[') open.push(at)
    else if (char === ']') {
      const start = open.pop()
      if (start !== undefined) pairs.set(start, at)
    }
  }
  return pairs
}

function codeAt(text: string, at: number, missing: Set<string>) {
  const fence = text.slice(at, skipRun(text, at, at + 1))
  if (missing.has(fence)) return undefined
  for (let end = text.indexOf(fence, at + fence.length), tried = 0; end >= 0; tried++) {
    const whole = text[end - 1] !== '`' && text[end + fence.length] !== '`'
    if (whole) {
      const code = text.slice(at + fence.length, end).replaceAll('\n', ' ')
      const padded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
      return [
        end + fence.length,
        { tag: 'code', parts: [padded ? code.slice(1, -1) : code] },
      ] as const
    }
    if (tried > maxEnds) return undefined
    end = text.indexOf(fence, skipRun(text, end, end + 1))
  }
  missing.add(fence)
  return undefined
}

function linkAt(text: string, at: number, brackets: ReadonlyMap<number, number>, depth: number) {
  const image = text[at] === '!'
  const open = image ? at + 1 : at
  const close = text[open] === '[' ? brackets.get(open) : undefined
  if (close === undefined) return undefined
  const [whole, href = ''] = matchAt(target, text, close + 1) ?? []
  if (whole === undefined) return undefined
  const label = text.slice(open + 1, close)
  const part: Element = image
    ? { tag: 'img', href, parts: [label] }
    : { tag: 'a', href, parts: inline(label, depth + 1) }
  return [close + 1 + whole.length, part] as const
}

function emphasisAt(text: string, at: number, missing: Set<string>, depth: number) {
  for (const [delimiter, tag] of emphases) {
    if (missing.has(delimiter) || !text.startsWith(delimiter, at)) continue
    const start = at + delimiter.length
    const inWord = delimiter.startsWith('_') && /\w/.test(text[at - 1] ?? '')
    if (inWord || /^(\s|$)/.test(text[start] ?? '')) continue
    let end = text.indexOf(delimiter, start)
    if (end < 0) missing.add(delimiter)
    for (let tried = 0; end >= 0 && tried < maxEnds; tried++) {
      const single = delimiter.length === 1 && text[end + 1] === delimiter
      const fits = end > start && !/\s/.test(text[end - 1] as string) && !single
      if (fits && !(delimiter.startsWith('_') && /\w/.test(text[end + delimiter.length] ?? ''))) {
        const parts = inline(text.slice(start, end), depth + 1)
        return [end + delimiter.length, { tag, parts }] as const
      }
      end = text.indexOf(delimiter, end + (single ? 2 : 1))
    }
  }
  return undefined
}
