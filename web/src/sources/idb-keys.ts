/**
 * IndexedDB keys and names in URIs.
 *
 * A key is written as a tag, a dot, and its text, so that `1`, `'1'`, a Date, bytes and `[1]` are
 * five different URIs:
 *
 * | tag | key | text |
 * |---|---|---|
 * | `n.` | number | as JavaScript prints it: `1`, `-1.5`, `1e+21`, `-Infinity`; `-0` is the key `0`, as in `indexedDB.cmp` |
 * | `s.` | string | the string itself |
 * | `u.` | string with lone surrogates, which UTF-8 cannot encode | four hexadecimal digits for each UTF-16 code unit |
 * | `d.` | Date | ISO 8601 in UTC, with milliseconds |
 * | `b.` | ArrayBuffer or view | base64url without padding (RFC 4648 §5) |
 * | `a.` | array | JSON: an array of key texts, nested arrays as arrays |
 *
 * In a URI the text is one path segment in which all but RFC 3986's unreserved characters are
 * percent-encoded, as RFC 6570 expands `{key}`. Clients that decode a URI and encode it again lose the difference
 * between `%2F` and `/`, and between `%25` and `%`; so texts and names have {@link escapeText}'s escapes for what
 * does not survive that. The texts without them are still read. A key has exactly one text: `keyFromText`
 * rejects `n.01`. `testdata/uris.json` has the cases.
 */

import { fromBase64Url, toBase64Url } from '../base64url.ts'

/** How deep array keys may nest: the most that Chromium stores; Firefox stores fewer. */
const maxKeyDepth = 2000 // levels

type KeyJson = string | KeyJson[]

/** What follows `~` in an escape is the place here. Go's identityOf has the same. */
const escaped = '~/%&\t\n\r\\?#'

/**
 * Replaces by `~0` to `~9`, as in JSON Pointer, what does not survive VS Code, the URL class of browsers, or a template
 * with `{+path}`: `~`, `/`, `%`, `&`, tab, line feed, carriage return, backslash, `?` and `#`.
 */
export function escapeText(text: string): string {
  return text.replace(/[~\/%&\t\n\r\\?#]/g, (c) => `~${escaped.indexOf(c)}`)
}

/** The text of an escaped one. */
export function unescapeText(text: string): string {
  return text.replace(/~([0-9])/g, (_, place) => escaped[place] as string)
}

/**
 * Percent-encodes all but the unreserved characters of RFC 3986, as RFC 6570 does for `{name}`.
 *
 * @throws URIError if text has lone surrogates
 */
export function segment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * The path segment of a database's or store's name. Names that a path cannot carry (empty, dot
 * segments, lone surrogates) and those that begin with an escape become `~` and four hexadecimal digits
 * for each UTF-16 code unit.
 */
export function nameSegment(name: string): string {
  const text = escapeText(name)
  const plain =
    name !== '' && name !== '.' && name !== '..' && !text.startsWith('~') && name.isWellFormed()
  return plain ? segment(text) : `~${toHex(name)}`
}

/** The name that a path segment stands for, in any percent-encoding; `undefined`: none. */
export function nameFromSegment(encoded: string): string | undefined {
  try {
    const text = decodeURIComponent(encoded)
    if (!text.startsWith('~')) return unescapeText(text) || undefined
    const name = fromHex(text.slice(1))
    return nameSegment(name) === text ? name : undefined
  } catch {
    return undefined // not UTF-8
  }
}

/** The path segment of a key. Equal keys, and only they, have equal segments. */
export function keySegment(key: IDBValidKey): string {
  return segment(keyText(key))
}

/**
 * The key that a path segment names, or undefined if there is none. Any percent-encoding of the
 * key's text is accepted.
 */
export function keyFromSegment(encoded: string): IDBValidKey | undefined {
  try {
    return keyFromText(decodeURIComponent(encoded))
  } catch {
    return undefined // not UTF-8
  }
}

/** The tagged text of a key. */
export function keyText(key: IDBValidKey): string {
  return escapeText(taggedText(key))
}

function taggedText(key: IDBValidKey): string {
  return Array.isArray(key) ? `a.${JSON.stringify(key.map(keyJson))}` : scalarText(key)
}

/** The key of a tagged text, or undefined if it is not exactly what {@link keyText} writes, but for escapes. */
export function keyFromText(escaped: string): IDBValidKey | undefined {
  const text = unescapeText(escaped)
  let key: IDBValidKey | undefined
  try {
    key = text.startsWith('a.') ? arrayKey(JSON.parse(text.slice(2)), maxKeyDepth) : scalarKey(text)
  } catch {
    return undefined
  }
  return key !== undefined && taggedText(key) === text ? key : undefined
}

/** The name of a record without a label: the text of its key without the tag. */
export function keyLabel(key: IDBValidKey): string {
  if (Array.isArray(key)) return `[${key.map(keyLabel).join(', ')}]`
  return typeof key === 'string' ? key.toWellFormed() : scalarText(key).slice(2)
}

function keyJson(key: IDBValidKey): KeyJson {
  return Array.isArray(key) ? key.map(keyJson) : scalarText(key)
}

function arrayKey(json: unknown, depth: number): IDBValidKey[] {
  if (!Array.isArray(json) || depth === 0) throw new TypeError('not an array of key texts')
  return json.map((element) => {
    if (typeof element !== 'string') return arrayKey(element, depth - 1)
    const key = scalarKey(element)
    if (key === undefined) throw new TypeError('not a key text')
    return key
  })
}

function scalarText(key: Exclude<IDBValidKey, IDBValidKey[]>): string {
  if (typeof key === 'number') return `n.${key}` // -0 prints as 0
  if (typeof key === 'string') return key.isWellFormed() ? `s.${key}` : `u.${toHex(key)}`
  if (key instanceof Date) return `d.${key.toISOString()}`
  return `b.${toBase64Url(bytesOf(key))}`
}

function scalarKey(text: string): IDBValidKey | undefined {
  const rest = text.slice(2)
  switch (text.slice(0, 2)) {
    case 'n.': {
      const number = Number(rest)
      return Number.isNaN(number) ? undefined : number
    }
    case 's.':
      return rest
    case 'u.':
      return fromHex(rest)
    case 'd.': {
      const date = new Date(rest)
      return Number.isNaN(date.getTime()) ? undefined : date
    }
    case 'b.':
      return fromBase64Url(rest).buffer
    default:
      return undefined
  }
}

function toHex(text: string): string {
  let hex = ''
  for (let i = 0; i < text.length; i++) hex += text.charCodeAt(i).toString(16).padStart(4, '0')
  return hex
}

function fromHex(hex: string): string {
  const units = hex.match(/[0-9a-f]{4}/g) ?? []
  return units.map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join('')
}

/** The bytes of a buffer or of the part of it that a view shows; nothing is copied. */
export function bytesOf(data: BufferSource): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(data)) return new Uint8Array(data)
  return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength)
}
