/**
 * Keeps messages inside the JSON data model (RFC 8259). Structured clone carries more: `undefined`,
 * NaN, Map, Date, BigInt, cycles. Values outside of JSON are rejected, not thrown,
 * with one exception: a member of an object that is `undefined` is taken as absent, as
 * `JSON.stringify` does, because clients that write `{ cursor: undefined }` mean that.
 */

/** How deep arrays and objects may be nested; the same as Go's `jsonrpc.MaxDepth`. */
export const maxDepth = 128 // levels

/** Returned by {@link measure} instead of a size. */
export const notJson = -1

/**
 * Measures a value.
 *
 * @param limit - where to stop counting: shared parts of a structured clone can make a small value
 *   an endless text
 * @returns about how long its JSON text is at least, in UTF-16 code units, with what is `undefined`; above `limit`: too long;
 *   {@link notJson}: it is outside the JSON data model, or nested deeper than {@link maxDepth}
 */
export function measure(value: unknown, limit: number): number {
  return walk(value, limit, 0)
}

/** More than any message of a size that is accepted has. */
const maxParts = 250_000 // objects, and members

/**
 * Whether a value has so many objects and members that it takes seconds to copy it from one thread to the other, which
 * happens before this thread can measure it.
 */
export function isHuge(value: unknown): boolean {
  const seen = new Set([value])
  let members = 0
  for (const one of seen) {
    if (typeof one !== 'object' || one === null || ArrayBuffer.isView(one)) continue
    if (one instanceof Map || one instanceof Set) members += one.size
    for (const name in one) {
      const member = (one as Record<string, unknown>)[name]
      if (typeof member === 'object') seen.add(member)
      if (++members + seen.size > maxParts) break
    }
    if (members + seen.size > maxParts) return true
  }
  return false
}

function walk(value: unknown, limit: number, depth: number): number {
  switch (typeof value) {
    case 'string':
      return value.length + 2
    case 'number':
      return Number.isFinite(value) ? 1 : notJson
    case 'boolean':
      return 4
    case 'object':
      break
    default:
      return notJson // undefined, bigint, function, symbol
  }
  if (value === null) return 4
  if (depth === maxDepth) return notJson
  let size = 1 // one bracket; the other one is counted as a comma
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const part = walk(value[i], limit - size, depth + 1)
      if (part === notJson) return notJson
      size += part + 1
      if (size > limit) return size
    }
    return size
  }
  if (!isPlain(value)) return notJson
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name]
    const part = member === undefined ? 0 : walk(member, limit - size, depth + 1)
    if (part === notJson) return notJson
    size += name.length + part + 3
    if (size > limit) return size
  }
  return size
}

/**
 * Whether a value is an object as JSON.parse makes it. Objects of another realm count as well; objects
 * with a toJSON of their own do not: their text differs from their members.
 */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    if (Object.getPrototypeOf(prototype) !== null || !('hasOwnProperty' in prototype)) return false
  }
  return typeof (value as { toJSON?: unknown }).toJSON !== 'function'
}

/**
 * A copy of a value as JSON carries it. What an app hands over is copied in its own thread: a Proxy, such as Vue's
 * `reactive`, cannot be cloned to another one, and later changes must not have an effect.
 *
 * @throws TypeError for what JSON cannot write: a cycle, a BigInt
 */
export function jsonCopy<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value) ?? 'null')
}

/** JSON text in which lone surrogates, which UTF-8 cannot carry, are U+FFFD. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  if (!text.includes('\\ud')) return text
  return text.replace(/\\(?:(ud[0-9a-f]{3})|.)/g, (part, lone) => (lone ? '\\ufffd' : part))
}
