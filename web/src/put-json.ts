/**
 * Writes small plain values as JSON text into a buffer: objects, arrays, ASCII strings without escapes, safe
 * integers, booleans, null. Most params are of this kind, and this is much cheaper than making a string first.
 */

/** The most bytes of JSON text that are written this way, and the deepest nesting. */
export const shortJson = 4096 // bytes
const shallow = 8 // levels
const maxAbsent = 100 // members of one object that are undefined; json.ts measures objects with more

/** Writes a value from `at` on, up to `limit`. Returns where it ends, or -1 for values of other kinds. */
export function putJson(
  bytes: Uint8Array,
  at: number,
  limit: number,
  value: unknown,
  depth: number,
): number {
  if (typeof value === 'string') return putString(bytes, at, limit, value)
  if (typeof value === 'object' && value !== null) {
    if (depth === shallow) return -1
    if (Array.isArray(value)) return putArray(bytes, at, limit, value, depth)
    if (Object.getPrototypeOf(value) !== Object.prototype) return -1
    return putObject(bytes, at, limit, value as Record<string, unknown>, depth)
  }
  if (value === null || typeof value === 'boolean' || Number.isSafeInteger(value)) {
    return putAscii(bytes, at, limit, Object.is(value, -0) ? '0' : String(value))
  }
  return -1
}

function putObject(
  bytes: Uint8Array,
  start: number,
  limit: number,
  value: Record<string, unknown>,
  depth: number,
): number {
  let at = start
  bytes[at] = 0x7b // {
  let absent = 0
  for (const name in value) {
    const member = value[name]
    if (member === undefined) {
      if (++absent > maxAbsent) return -1
      continue
    }
    if (name === 'toJSON' || at + 2 > limit) return -1
    if (at > start) bytes[at] = 0x2c // ,
    at = putString(bytes, at + 1, limit, name)
    if (at < 0) return -1
    bytes[at] = 0x3a // :
    at = putJson(bytes, at + 1, limit, member, depth + 1)
    if (at < 0) return -1
  }
  if (at === start) at++
  bytes[at] = 0x7d // }
  return at + 1
}

function putArray(
  bytes: Uint8Array,
  start: number,
  limit: number,
  value: unknown[],
  depth: number,
): number {
  let at = start
  bytes[at] = 0x5b // [
  for (let i = 0; i < value.length; i++) {
    if (at + 2 > limit) return -1
    if (i > 0) bytes[at] = 0x2c // ,
    at = putJson(bytes, at + 1, limit, value[i], depth + 1)
    if (at < 0) return -1
  }
  if (at === start) at++
  bytes[at] = 0x5d // ]
  return at + 1
}

function putString(bytes: Uint8Array, start: number, limit: number, text: string): number {
  let at = start
  if (at + text.length + 4 > limit) return -1
  bytes[at++] = 0x22 // "
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return -1
    bytes[at++] = code
  }
  bytes[at] = 0x22
  return at + 1
}

function putAscii(bytes: Uint8Array, start: number, limit: number, text: string): number {
  if (start + text.length + 2 > limit) return -1
  for (let i = 0; i < text.length; i++) bytes[start + i] = text.charCodeAt(i)
  return start + text.length
}
