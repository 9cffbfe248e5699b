/**
 * Encodes values of IndexedDB as JSON: values of the structured clone algorithm that JSON lacks get a tag, and
 * none silently becomes `{}`. web/docs/sources.md, Values, has the table of tags.
 *
 * No getter runs, since values of IndexedDB are plain clones.
 */

import { isMediaType, toBase64 } from '../contents.ts'
import type { Json } from '../source.ts'
import { bytesOf } from './idb-keys.ts'

/** The deepest nesting of objects that is encoded. */
export const maxDepth = 128 // levels; parsers of the engine reject more

/**
 * The most bytes of one Blob or buffer within JSON. A record that is bytes as a whole has no such limit.
 */
export const maxInlineBytes = 8 << 20 // bytes

/** The most entries of the list of losses, which ends with `…` if there are more. */
const maxLossy = 100

const tags =
  /^\$+(array|bigint|blob|bytes|date|deep|error|handle|map|number|object|ref|regexp|set|undefined)$/

type Fields = { [field: string]: unknown }

/**
 * The JSON of a value. Blobs are read, so await it outside of any transaction.
 *
 * @param value - a value from IndexedDB
 * @returns `lossy`: JSON Pointers into `text` of values that are not exact
 * @throws a `DOMException` named `NotReadableError` if a Blob's bytes are gone
 */
export async function encodeValue(value: unknown): Promise<{ text: string; lossy: string[] }> {
  const walk: Walk = { seen: new Map(), lossy: [], blobs: [] }
  const json = encode(value, '', 0, walk)
  await Promise.all(walk.blobs.map((fill) => fill()))
  return { text: JSON.stringify(json), lossy: walk.lossy }
}

/** The bytes of a record that is bytes as a whole, with their MIME type. */
export function asBinary(
  value: unknown,
): { blob: Blob | Uint8Array<ArrayBuffer>; mimeType: string } | undefined {
  const other = 'application/octet-stream'
  if (value instanceof Blob) {
    return { blob: value, mimeType: isMediaType(value.type) ? value.type : other }
  }
  if (!(value instanceof ArrayBuffer || ArrayBuffer.isView(value))) return undefined
  return { blob: bytesOf(value as BufferSource), mimeType: other }
}

/**
 * A copy of a record with the named fields only. A record that is not a plain object has no
 * fields: the copy is an empty object.
 */
export function withFields(value: unknown, fields: readonly string[]): Fields {
  const copy: Fields = Object.create(null)
  if (!isPlainObject(value)) return copy
  for (const field of fields) if (Object.hasOwn(value, field)) copy[field] = value[field]
  return copy
}

/** Whether a value is a plain object, neither an array nor an instance of a named class. */
export function isPlainObject(value: unknown): value is Fields {
  return className(value) === 'Object'
}

/**
 * The text of a record's field, for a name or a title; `undefined` if it is neither text nor a
 * number.
 */
export function fieldText(value: unknown, field: string | undefined): string | undefined {
  const found = field === undefined ? undefined : withFields(value, [field])[field]
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found !== '' ? found.toWellFormed() : undefined
}

interface Walk {
  /** where an object stands for the first time */
  seen: Map<object, string>
  lossy: string[]
  blobs: (() => Promise<void>)[]
}

type JsonObject = { [key: string]: Json }

function encode(value: unknown, path: string, depth: number, walk: Walk): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (Object.is(value, -0)) return { $number: '-0' }
      return Number.isFinite(value) ? value : { $number: String(value) }
    case 'bigint':
      return { $bigint: String(value) }
    case 'undefined':
      return { $undefined: true }
    default:
      return value === null ? null : encodeObject(value as object, path, depth, walk)
  }
}

function encodeObject(value: object, path: string, depth: number, walk: Walk): Json {
  const first = walk.seen.get(value)
  if (first !== undefined) return { $ref: first }
  const name = className(value)
  if (depth >= maxDepth) return lose(walk, path, { $deep: name })
  // Small values are repeated instead of referenced: a `$ref` would be longer and harder to read.
  if (name !== 'Date' && name !== 'RegExp') walk.seen.set(value, path)
  const inner = (child: unknown, at: string) => encode(child, `${path}/${at}`, depth + 1, walk)
  /** Array indexes and names, with a `$` before those that are tags. */
  const properties = (at: string) => {
    const copy: JsonObject = Object.create(null) // so that `__proto__` is a property like any other
    for (const [key, child] of Object.entries(value)) {
      const name = tags.test(key) ? `$${key}` : key
      copy[name] = inner(child, at + name.replaceAll('~', '~0').replaceAll('/', '~1'))
    }
    return copy
  }
  if (Array.isArray(value)) {
    const { length } = value
    const keys = Object.keys(value) // indexes in order, then names
    if (keys.length === length && (length === 0 || keys.at(-1) === String(length - 1)))
      return value.map((child, i) => inner(child, String(i)))
    return { $array: properties('$array/'), length } // with holes or named properties
  }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    const bytes = bytesOf(value as BufferSource)
    if (bytes.length <= maxInlineBytes) return { $bytes: toBase64(bytes), type: name }
    return lose(walk, path, { $bytes: null, type: name, size: bytes.length })
  }
  switch (name) {
    case 'Object':
      return properties('')
    case 'Date': {
      const time = (value as Date).getTime()
      return { $date: Number.isNaN(time) ? null : (value as Date).toISOString() }
    }
    case 'Map': {
      const entries = Array.from(value as Map<unknown, unknown>, ([k, v], i) => [
        inner(k, `$map/${i}/0`),
        inner(v, `$map/${i}/1`),
      ])
      return { $map: entries }
    }
    case 'Set':
      return { $set: Array.from(value as Set<unknown>, (v, i) => inner(v, `$set/${i}`)) }
    case 'RegExp':
      return { $regexp: { source: (value as RegExp).source, flags: (value as RegExp).flags } }
    case 'Error':
    case 'DOMException': {
      const { name: kind, message } = value as Error
      return lose(walk, path, { $error: { name: String(kind), message: String(message) } })
    }
    case 'Blob':
    case 'File':
      return encodeBlob(value as Blob, path, walk)
    case 'FileSystemFileHandle':
    case 'FileSystemDirectoryHandle': {
      const { kind, name: called } = value as FileSystemHandle
      return lose(walk, path, { $handle: { kind, name: called } })
    }
    default:
      return lose(walk, path, { $object: name })
  }
}

function encodeBlob(blob: Blob, path: string, walk: Walk): JsonObject {
  const json: JsonObject = { $blob: null, type: blob.type, size: blob.size }
  if (blob instanceof File) {
    Object.assign(json, { name: blob.name, lastModified: blob.lastModified })
  }
  if (blob.size > maxInlineBytes) return lose(walk, path, json)
  walk.blobs.push(async () => {
    json.$blob = toBase64(new Uint8Array(await blob.arrayBuffer()))
  })
  return json
}

/** The name of a value's class by its internal type; `Object` for plain objects only. */
function className(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

function lose<T extends Json>(walk: Walk, path: string, json: T): T {
  if (walk.lossy.length <= maxLossy) walk.lossy.push(walk.lossy.length < maxLossy ? path : '…')
  return json
}
