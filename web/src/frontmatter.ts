/**
 * The frontmatter of a SKILL.md: YAML between two lines `---`. Clients compare it with the entry of the skill, each by
 * the YAML parser that it has, so only what all of them read alike is written and accepted.
 *
 * @see https://agentskills.io/specification
 * @see https://yaml.org/spec/1.2.2/
 */

import type { Json } from './metadata.ts'

/** Plain texts that some version of YAML reads as a boolean or nothing. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i
/** Plain texts that some version of YAML may read as a number, date or time. */
const numeric = /^[-+.]?\d[\d_.,:a-fxozTZ+-]*$|^[-+]?\.(?:inf|nan)$/i
const integer = /^-?(?:0|[1-9]\d{0,14})$/
const decimal = /^-?(?:0|[1-9]\d*)\.\d+$/
const dotted = /^\d+(?:\.\d+){2,}$/ // 1.2.3
const plainKey = /^[A-Za-z_][\w-]*$/

/** Writes frontmatter, with the lines around it. Texts are quoted: a plain one could be read as something else. */
export function writeFrontmatter(object: Record<string, Json>): string {
  return `---\n${writeMapping(object, '')}---\n`
}

function writeMapping(object: Record<string, Json>, indent: string): string {
  return Object.entries(object)
    .map(([key, value]) => {
      const name = plainKey.test(key) && !reserved.test(key) ? key : JSON.stringify(key)
      const nests = isMapping(value) && Object.keys(value).length > 0
      const text = nests ? `\n${writeMapping(value, `${indent}  `)}` : ` ${JSON.stringify(value)}\n`
      return `${indent}${name}:${text}`
    })
    .join('')
}

function isMapping(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A line that is not empty, nor a comment alone. */
interface Line {
  /** From 1. */
  number: number
  indent: number
  text: string
}

/**
 * Reads the frontmatter of a SKILL.md: mappings, lists of single values, texts of one line, blocks of `|` and `>`,
 * and JSON.
 *
 * @throws TypeError with the number of the line, for anything else
 */
export function readFrontmatter(markdown: string): Record<string, Json> {
  const all = markdown.split(/\r?\n/)
  const end = all.findIndex((line, i) => i > 0 && /^---\s*$/.test(line))
  if (!/^---\s*$/.test(all[0] ?? '') || end < 0) {
    throw new TypeError('SKILL.md must begin with frontmatter: YAML between two lines ---')
  }
  const raw = all.slice(0, end)
  let at = 1
  const fail = (problem: string, line = at): never => {
    throw new TypeError(`SKILL.md, line ${line + 1}: ${problem}`)
  }

  /** The next line with content; comments and empty lines before it are skipped. */
  function peek(): Line | undefined {
    for (; at < raw.length; at++) {
      const line = raw[at] as string
      const text = line.trim()
      if (text === '' || text.startsWith('#')) continue
      const indent = line.search(/\S/)
      if (line.slice(0, indent).includes('\t')) fail('indent by blanks, not by tabs')
      return { number: at, indent, text }
    }
    return undefined
  }

  function mapping(indent: number): Record<string, Json> {
    const object: Record<string, Json> = {}
    for (let line = peek(); line && line.indent >= indent; line = peek()) {
      if (line.indent > indent) fail('this line is indented further than the one before it')
      const [, quoted, single, plain, rest = ''] =
        /^(?:("(?:[^"\\]|\\.)*")|'((?:[^']|'')*)'|([^\s"'#&*!|>%@`[\]{},?:-][^\s:]*))\s*:(?:\s+(.*))?$/.exec(
          line.text,
        ) ?? fail('this is not "key: value"')
      if (plain !== undefined && (reserved.test(plain) || numeric.test(plain))) {
        fail(`put the key ${plain} in quotation marks`)
      }
      const key = quoted ? String(json(quoted)) : (single?.replaceAll("''", "'") ?? String(plain))
      if (Object.hasOwn(object, key) || key === '__proto__') fail(`${key} is there twice`)
      at++
      object[key] = value(rest, indent)
    }
    return object
  }

  /** What follows a key. */
  function value(rest: string, indent: number): Json {
    const block = /^([|>])([-+\d]*)\s*(?:#.*)?$/.exec(rest)
    if (block) return blockText(block[1] === '>', block[2] as string, indent)
    if (rest !== '' && !rest.startsWith('#')) {
      at--
      const single = scalar(rest)
      at++
      const next = peek()
      if (next && next.indent > indent) fail('begin a text of several lines with | or >')
      return single
    }
    const next = peek()
    if (next && isItem(next) && next.indent >= indent) return list(next.indent)
    return next && next.indent > indent ? mapping(next.indent) : null
  }

  const isItem = ({ text }: Line) => text === '-' || text.startsWith('- ')

  function list(indent: number): Json[] {
    const items: Json[] = []
    for (let line = peek(); line && line.indent === indent && isItem(line); line = peek()) {
      items.push(scalar(line.text.slice(1).trim()))
      at++
    }
    return items
  }

  function blockText(folds: boolean, options: string, indent: number): string {
    if (options !== '' && options !== '-') fail('only |, |-, > and >- are supported', at - 1)
    const lines: string[] = []
    let inner = 0
    for (; at < raw.length; at++) {
      const line = raw[at] as string
      if (line.trim() !== '') {
        const own = line.search(/\S/)
        if (own <= indent) break
        inner ||= own
        if (own < inner || line.slice(0, inner).includes('\t') || (folds && own > inner)) {
          fail('the lines of this text must be indented alike, by blanks')
        }
      } else if (inner === 0 || line.length > inner) {
        fail('remove this empty line, or the blanks in it')
      }
      lines.push(line.slice(inner))
    }
    while (lines.at(-1)?.trim() === '') lines.pop()
    const text = folds
      ? lines.join('\n').replace(/(\n+)(?=[^\n])/g, (ends) => ends.slice(1) || ' ')
      : lines.join('\n')
    return text + (options === '-' || text === '' ? '' : '\n')
  }

  function scalar(text: string): Json {
    const quoted = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(?:\s#.*)?$/.exec(text)?.[1]
    if (quoted) return quoted[0] === '"' ? json(quoted) : quoted.slice(1, -1).replaceAll("''", "'")
    if (/^[[{]/.test(text)) return json(text)
    const plain = text.replace(/(?:^|\s+)#.*$/, '')
    if (/^["'&*!|>%@`,\]}]|^[-?:](?:\s|$)|:(?:\s|$)/.test(plain)) {
      fail(`put the text in quotation marks: ${plain.slice(0, 40)}`)
    }
    if (/^(?:|~|null)$/i.test(plain)) return null
    if (/^(?:true|false)$/i.test(plain)) return plain.toLowerCase() === 'true'
    if (integer.test(plain) || decimal.test(plain)) return Number(plain)
    if ((reserved.test(plain) || numeric.test(plain)) && !dotted.test(plain)) {
      fail(
        `put ${plain} in quotation marks: programs read it as a number, date or boolean, or as text`,
      )
    }
    return plain
  }

  function json(text: string): Json {
    try {
      return JSON.parse(text)
    } catch {
      return fail('write this as JSON, with quotation marks and escapes as there')
    }
  }

  const object = mapping(0)
  if (at < raw.length && peek()) fail('this is not "key: value"')
  return object
}
