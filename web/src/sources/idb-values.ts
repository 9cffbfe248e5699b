/**
 * Encodes values of IndexedDB as JSON: values of the structured clone algorithm that JSON lacks get a tag, and
 * none silently becomes `{}`. web/docs/sources.md, Values, has the table of tags.
 *
 * No getter runs, since values of IndexedDB are plain clones.
 */

import { isMediaType, toBase64 } from '../contents.ts'
import type { Json } from '../source.ts'
import { bytesOf } from './idb-keys.ts'

/** The type of encoded records. */
export const json = 'application/json'

/** The deepest nesting of objects that is encoded. */
export const maxDepth = 128 // levels; parsers of the engine reject more

/**
 * The most bytes of one Blob or buffer within JSON. A record that is bytes as a whole has no such limit.
 */
export const maxInlineBytes = 8 << 20 // bytes

export interface Encoded {
  text: string
  /** JSON Pointers into `text` of values that are not exact; at most {@link maxLossy} */
  lossy: string[]
}

/** The most entries of {@link Encoded.lossy}; the list ends with `…` if there are more. */
const maxLossy = 100

const tags =
  /^\$+(array|bigint|blob|boxed|bytes|cryptokey|date|deep|dom|error|files|handle|hole|image|map|number|object|ref|regexp|set|undefined)$/

/**
 * The JSON of a value. Blobs are read, so await it outside of any transaction.
 *
 * @param value - a value from IndexedDB
 * @throws a `DOMException` named `NotReadableError` if a Blob's bytes are gone
 */
export async function encodeValue(value: unknown): Promise<Encoded> {
  const walk: Walk = { seen: new Map(), lossy: [], blobs: [] }
  const json = encode(value, '', 0, walk)
  await Promise.all(walk.blobs.map((fill) => fill()))
  return { text: JSON.stringify(json), lossy: walk.lossy }
}

/** The bytes of a record that is bytes as a whole, with their MIME type. */
export function asBinary(
  value: unknown,
): { blob: Blob | Uint8Array<ArrayBuffer>; mimeType: string } | undefined {
  if (value instanceof Blob)
    return {
      blob: value,
      mimeType: isMediaType(value.type) ? value.type : 'application/octet-stream',
    }
  if (!(value instanceof ArrayBuffer || ArrayBuffer.isView(value))) return undefined
  return { blob: bytesOf(value as BufferSource), mimeType: 'application/octet-stream' }
}

/**
 * A copy of a record with the named fields only. A record that is not a plain object has no
 * fields: the copy is an empty object.
 */
export function withFields(
  value: unknown,
  fields: readonly string[],
): { [field: string]: unknown } {
  const copy: { [field: string]: unknown } = Object.create(null)
  if (!isPlainObject(value)) return copy
  for (const field of fields) {
    if (Object.hasOwn(value as object, field))
      copy[field] = (value as { [field: string]: unknown })[field]
  }
  return copy
}

/** Whether a value is a plain object, neither an array nor an instance of a named class. */
export function isPlainObject(value: unknown): value is { [field: string]: unknown } {
  return className(value) === 'Object'
}

/**
 * The text of a record's field, for a name or a title; `undefined` if it is neither text nor a
 * number.
 */
export function fieldText(value: unknown, field: string | undefined): string | undefined {
  if (
    field === undefined ||
    className(value) !== 'Object' ||
    !Object.hasOwn(value as object, field)
  )
    return undefined
  const found = (value as { [field: string]: unknown })[field]
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found !== '' ? found.toWellFormed() : undefined
}

/**
 * The time in a record's field, as ISO 8601: a Date, milliseconds since 1970, or an ISO 8601
 * string with a date at least; `undefined` if it is none, or the year has more than four digits.
 */
export function fieldTime(value: unknown, field: string | undefined): string | undefined {
  if (
    field === undefined ||
    className(value) !== 'Object' ||
    !Object.hasOwn(value as object, field)
  )
    return undefined
  const found = (value as { [field: string]: unknown })[field]
  const isText =
    typeof found === 'string' && /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/.test(found)
  if (!isText && typeof found !== 'number' && className(found) !== 'Date') return undefined
  const date = new Date(found as string | number | Date)
  const time = Number.isNaN(date.getTime()) ? '' : date.toISOString()
  return /^\d{4}-/.test(time) ? time : undefined
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
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $number: Object.is(value, -0) ? '-0' : String(value) }
    case 'bigint':
      return { $bigint: String(value) }
    case 'undefined':
      return { $undefined: true }
    case 'object':
      return value === null ? null : encodeObject(value, path, depth, walk)
    default: // functions and symbols: no clone has them
      return lose(walk, path, { $object: typeof value })
  }
}

function encodeObject(value: object, path: string, depth: number, walk: Walk): Json {
  const first = walk.seen.get(value)
  if (first !== undefined) return { $ref: first }
  const name = className(value)
  if (depth >= maxDepth) return lose(walk, path, { $deep: name })
  if (!small.has(name)) walk.seen.set(value, path)
  if (Array.isArray(value)) return encodeArray(value, path, depth, walk)
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return encodeBytes(value as BufferSource, name, path, walk)
  const inner = (child: unknown, at: string): Json =>
    encode(child, `${path}/${at}`, depth + 1, walk)
  switch (name) {
    case 'Object':
      return encodeProperties(value, path, depth, walk)
    case 'Date':
      return {
        $date: Number.isNaN((value as Date).getTime()) ? null : (value as Date).toISOString(),
      }
    case 'Map':
      return {
        $map: Array.from(value as Map<unknown, unknown>, ([k, v], i) => [
          inner(k, `$map/${i}/0`),
          inner(v, `$map/${i}/1`),
        ]),
      }
    case 'Set':
      return { $set: Array.from(value as Set<unknown>, (v, i) => inner(v, `$set/${i}`)) }
    case 'RegExp':
      return { $regexp: { source: (value as RegExp).source, flags: (value as RegExp).flags } }
    case 'Error':
    case 'DOMException': {
      const { name: kind, message } = value as Error
      const error: JsonObject = { name: String(kind), message: String(message) }
      if (Object.hasOwn(value, 'cause')) error.cause = inner((value as Error).cause, '$error/cause')
      return lose(walk, path, { $error: error })
    }
    case 'Boolean':
    case 'Number':
    case 'String':
    case 'BigInt':
      return { $boxed: inner((value as { valueOf(): unknown }).valueOf(), '$boxed') }
    case 'Blob':
    case 'File':
      return encodeBlob(value as Blob, path, walk)
    case 'FileList':
      return { $files: Array.from(value as FileList, (file, i) => inner(file, `$files/${i}`)) }
    case 'ImageData': {
      const { data, width, height } = value as ImageData
      const { $bytes, size } = encodeBytes(data as BufferSource, name, path, walk)
      return defined({
        $image: $bytes,
        width,
        height,
        colorSpace: (value as ImageData).colorSpace ?? 'srgb', // Firefox has but the one
        size,
      })
    }
    case 'CryptoKey': {
      const { type, extractable, algorithm, usages } = value as CryptoKey
      return lose(walk, path, {
        $cryptokey: {
          type,
          algorithm: inner(algorithm, '$cryptokey/algorithm'),
          extractable,
          usages,
        },
      })
    }
    case 'FileSystemFileHandle':
    case 'FileSystemDirectoryHandle': {
      const { kind, name: called } = value as FileSystemHandle
      return lose(walk, path, { $handle: { kind, name: called } })
    }
    default:
      if (/^DOM(Rect|Point|Quad|Matrix)/.test(name))
        return { $dom: inner((value as DOMRect).toJSON(), '$dom'), type: name }
      return lose(walk, path, { $object: name })
  }
}

function encodeProperties(value: object, path: string, depth: number, walk: Walk): JsonObject {
  const properties: JsonObject = Object.create(null) // so that `__proto__` is a property like any other
  for (const [key, child] of Object.entries(value)) {
    const name = tags.test(key) ? `$${key}` : key
    properties[name] = encode(child, `${path}/${pointer(name)}`, depth + 1, walk)
  }
  return properties
}

/** Iterates over the existing elements: an array of length 2^32 - 1 may have none. */
function encodeArray(array: unknown[], path: string, depth: number, walk: Walk): Json {
  const keys = Object.keys(array) // elements in order, then named properties
  const named = keys.slice(keys.findLastIndex((key) => isIndex(key)) + 1)
  const inside = named.length > 0 ? `${path}/$array` : path
  const elements: Json[] = []
  let next = 0
  for (const key of named.length > 0 ? keys.slice(0, -named.length) : keys) {
    const index = Number(key)
    if (index > next) elements.push({ $hole: index - next })
    elements.push(encode(array[index], `${inside}/${elements.length}`, depth + 1, walk))
    next = index + 1
  }
  if (array.length > next) elements.push({ $hole: array.length - next })
  if (named.length === 0) return elements
  const rest = Object.fromEntries(
    named.map((key) => [key, (array as unknown as { [key: string]: unknown })[key]]),
  )
  return { $array: elements, properties: encodeProperties(rest, `${path}/properties`, depth, walk) }
}

function isIndex(key: string): boolean {
  return /^(0|[1-9]\d*)$/.test(key) && Number(key) < 2 ** 32 - 1
}

function encodeBytes(data: BufferSource, type: string, path: string, walk: Walk): JsonObject {
  const bytes = bytesOf(data)
  if (bytes.length > maxInlineBytes)
    return lose(walk, path, { $bytes: null, type, size: bytes.length })
  return { $bytes: toBase64(bytes), type }
}

function encodeBlob(blob: Blob, path: string, walk: Walk): JsonObject {
  const json: JsonObject = { $blob: null, type: blob.type, size: blob.size }
  if (blob instanceof File)
    Object.assign(json, { name: blob.name, lastModified: blob.lastModified })
  if (blob.size > maxInlineBytes) return lose(walk, path, json)
  walk.blobs.push(async () => {
    json.$blob = toBase64(new Uint8Array(await blob.arrayBuffer()))
  })
  return json
}

/**
 * Classes of small values that are repeated instead of referenced: a `$ref` would be longer and harder to
 * read.
 */
const small = new Set(['Date', 'RegExp', 'Boolean', 'Number', 'String', 'BigInt'])

/** The name of a value's class by its internal type; `Object` for plain objects only. */
function className(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

function lose<T extends Json>(walk: Walk, path: string, json: T): T {
  if (walk.lossy.length < maxLossy) walk.lossy.push(path)
  else if (walk.lossy.length === maxLossy) walk.lossy.push('…')
  return json
}

/** One step of a JSON Pointer. */
function pointer(name: string): string {
  return name.replace(/~/g, '~0').replace(/\//g, '~1')
}

function defined(json: { [key: string]: Json | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(json).filter(([, value]) => value !== undefined),
  ) as JsonObject
}
