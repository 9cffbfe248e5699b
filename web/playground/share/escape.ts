/**
 * Literals of the languages in which a message is copied. What is in a message may be of anybody: no
 * character of it may end a literal, a comment or a line, steer the terminal that it is pasted into, or
 * look like what it is not.
 */

/** All but blanks, letters, marks, digits, punctuation and symbols: controls, formats, separators. */
const invisible = /[^\x20\p{L}\p{M}\p{N}\p{P}\p{S}]/gu

const unit = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`

/** In the escapes of JSON and JavaScript: by UTF-16 code units. */
export const escapeUnseen = (text: string): string =>
  text.replace(invisible, (character) =>
    Array.from({ length: character.length }, (_, i) => unit(character.charCodeAt(i))).join(''),
  )

/** A string of JSON, JavaScript and TypeScript. */
export const jsonString = (text: string): string => escapeUnseen(JSON.stringify(text))

/** A value of JSON as an expression of TypeScript, on several lines. */
export function typescript(value: unknown, indent = ''): string {
  const inner = `${indent}  `
  if (typeof value === 'string') return jsonString(value)
  if (Array.isArray(value)) {
    const items = value.map((item) => `\n${inner}${typescript(item, inner)}`)
    return items.length > 0 ? `[${items.join(',')}\n${indent}]` : '[]'
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `\n${inner}${nameOf(name)}: ${typescript(member, inner)}`,
    )
    return members.length > 0 ? `{${members.join(',')}\n${indent}}` : '{}'
  }
  return value === undefined ? 'undefined' : JSON.stringify(value)
}

/** `__proto__` as a name would be no member: it would set the prototype. */
const nameOf = (name: string) => (name === '__proto__' ? '["__proto__"]' : jsonString(name))

/** A string of Go: raw, if it can be. It has no escapes for surrogates that stand alone. */
export function goString(text: string): string {
  const valid = text.toWellFormed()
  if (!valid.includes('`') && valid.search(invisible) < 0) return `\`${valid}\``
  return `"${valid.replace(/["\\]/g, '\\$&').replace(invisible, (character) => {
    const code = character.codePointAt(0) as number
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : unit(code)
  })}"`
}

/** A word of a shell, of text that {@link isSeen}. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Whether a text has no character that is not seen. */
export const isVisible = (text: string): boolean => text.search(invisible) < 0

/** A URL as parsers write it: what is not seen is percent-encoded. */
export const visibleUrl = (url: string): string =>
  (URL.canParse(url) ? new URL(url).href : url.toWellFormed()).replace(
    invisible,
    encodeURIComponent,
  )

/** What `printf %b` makes a text of: octal, but for letters and digits. NUL no shell can keep, so it is left out. */
export function printfBytes(text: string): string {
  let all = ''
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte)
    if (/[\w .,:;/{}[\]()"=+-]/.test(character)) all += character
    else if (byte !== 0) all += `\\0${byte.toString(8).padStart(3, '0')}`
  }
  return all
}
