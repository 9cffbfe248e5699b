/**
 * Encodes contents: the value of a provider becomes the member `text` or `blob` of a
 * result, and gets its content version. Contents stay in JavaScript; Go never sees them.
 */

import { jsonCopy } from './json.ts'
import type { Contents } from './source.ts'

/** The `_meta` key of the content version; Go's `engine.MetaVersion`. */
export const metaVersion = 'io.github.pagemcp/version'

/** The `_meta` key that lists, by JSON Pointer (RFC 6901), the parts of a content that are incomplete. */
export const metaLossy = 'io.github.pagemcp/lossy'

/** The members of one item: `text`, or `blob` in Base64. */
export interface Body {
  readonly text?: string
  readonly blob?: string
  /** Changes when the content does, and only then; hexadecimal. */
  readonly version: string
  /** The MIME type that follows from the value, where the description has none. */
  readonly mimeType?: string
  /** Lone surrogates, which UTF-8 cannot carry, became U+FFFD. */
  readonly lossy: boolean
  /** Instead of all that: several items. */
  readonly parts?: readonly { readonly item: PartItem; readonly body: Body }[]
}

/** The description of a part. */
type PartItem = Pick<Contents, 'uri' | 'mimeType' | '_meta'>

/** Binary contents. */
export type Bytes = ArrayBuffer | ArrayBufferView<ArrayBuffer> | Blob

/** What {@link provided} makes of a provider's answer. */
export type Value = string | Bytes

/**
 * Encodes a value.
 *
 * @param mimeType - that follows from it; default: the type of a Blob
 */
export function bodyOf(value: Value, mimeType?: string): Body | Promise<Body> {
  if (typeof value === 'string') {
    const whole = value.isWellFormed()
    const text = whole ? value : value.toWellFormed()
    return { text, version: hashText(text), mimeType, lossy: !whole }
  }
  if (value instanceof Blob) {
    const type = mimeType ?? (value.type || undefined)
    return value.arrayBuffer().then((buffer) => bytesBody(new Uint8Array(buffer), type))
  }
  if (value instanceof ArrayBuffer) return bytesBody(new Uint8Array(value), mimeType)
  return bytesBody(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), mimeType)
}

function bytesBody(bytes: Uint8Array<ArrayBuffer>, mimeType: string | undefined): Body {
  return { blob: toBase64(bytes), version: hashBytes(bytes), mimeType, lossy: false }
}

/** Base64 with padding (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array<ArrayBuffer>): string {
  if (bytes.toBase64) return bytes.toBase64()
  let text = ''
  const chunk = 3 << 12 // bytes; a multiple of 3, so that chunks join without padding
  for (let i = 0; i < bytes.length; i += chunk) {
    text += btoa(String.fromCharCode(...bytes.subarray(i, i + chunk)))
  }
  return text
}

// Versions: four lanes of 32 bits over the bytes (of text: UTF-8), each fed every fourth word, as in
// xxHash. Every step can be undone, so that one changed word always changes the version; they protect
// nothing. Text goes through encodeInto, for one charCodeAt costs as much as hashing eight bytes.

const p1 = 0x9e3779b1 | 0
const p2 = 0x85ebca77 | 0

/** The size of a block of the hash. */
const chunk = 16 << 10 // UTF-16 code units, or bytes
const scratch = new Uint8Array(3 * chunk + 4)
const words = new Int32Array(scratch.buffer)
const encoder = new TextEncoder()

let a = 0
let b = 0
let c = 0
let d = 0

function hashText(text: string): string {
  begin(0x13198a2e)
  if (text.length <= chunk) {
    mix(encoder.encodeInto(text, scratch).written)
  } else {
    for (let from = 0; from < text.length; ) {
      let to = from + chunk
      if ((text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to++ // not between two surrogates
      mix(encoder.encodeInto(text.slice(from, to), scratch).written)
      from = to
    }
  }
  return digest(text.length)
}

function hashBytes(bytes: Uint8Array<ArrayBuffer>): string {
  begin(0x03707344)
  for (let from = 0; from < bytes.length; from += chunk) {
    const part = bytes.subarray(from, from + chunk)
    scratch.set(part)
    mix(part.length)
  }
  return digest(bytes.length)
}

function begin(seed: number) {
  a = 0x243f6a88
  b = 0x05a308d3
  c = seed
  d = ~seed
}

/** Mixes the scratch block into the accumulators. */
function mix(bytes: number) {
  scratch.fill(0, bytes, bytes + 4) // the last word is padded
  const count = (bytes + 3) >> 2
  const blocks = count - (count % 4)
  let e = a // variables of the function are in registers
  let f = b
  let g = c
  let h = d
  let i = 0
  for (; i < blocks; i += 4) {
    e = step(e, words[i] as number)
    f = step(f, words[i + 1] as number)
    g = step(g, words[i + 2] as number)
    h = step(h, words[i + 3] as number)
  }
  if (i < count) e = step(e, words[i++] as number)
  if (i < count) f = step(f, words[i++] as number)
  if (i < count) g = step(g, words[i] as number)
  a = e
  b = f
  c = g
  d = h
}

function step(accumulator: number, word: number): number {
  const mixed = Math.imul(accumulator ^ word, p1)
  return mixed ^ (mixed >>> 15)
}

/** 60 bits of the lanes, in hexadecimal. */
function digest(length: number): string {
  let high = Math.imul(a ^ ((c << 13) | (c >>> 19)) ^ length, p2)
  let low = Math.imul(b ^ ((d << 13) | (d >>> 19)) ^ length, p2)
  high ^= high >>> 16
  low = Math.imul(low ^ (low >>> 15) ^ high, p1)
  high = (high + low) | 0
  if (threeDigits.length === 0) {
    for (let n = 0; n < 4096; n++) threeDigits.push(n.toString(16).padStart(3, '0'))
  }
  const between = ((high & 0xff) << 4) | (low >>> 28)
  return (
    digits(high >>> 20) +
    digits((high >>> 8) & 0xfff) +
    digits(between) +
    digits((low >>> 16) & 0xfff) +
    digits((low >>> 4) & 0xfff)
  )
}

/** Hexadecimal numbers of three digits: toString(16) of large numbers is ten times slower. */
const threeDigits: string[] = []
const digits = (n: number) => threeDigits[n] as string

/** The answers that a provider may return; see {@link provided}. */
export type Provided = unknown

/** A value made ready to be sent to the engine's thread, with the MIME type that follows from it. */
export interface Ready {
  value: Value | Part[]
  mimeType?: string
  /** Whether the app gives its bytes away; see {@link transfer}. */
  transfers?: boolean
}

/** What {@link transfer} returns. */
export interface TransferredBytes {
  readonly [transferred]: ArrayBuffer | Uint8Array<ArrayBuffer>
}
const transferred = Symbol('transferred bytes')

/**
 * Bytes as a content, moved to the engine instead of copied: their `ArrayBuffer` is detached, and all views of
 * it are empty afterwards. For large values that the app does not need any more.
 *
 * @throws TypeError for anything but an `ArrayBuffer` or a view of one, and for a detached buffer
 */
export function transfer(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): TransferredBytes {
  if (!isBinary(bytes) || (bytes as unknown) instanceof Blob) {
    throw new TypeError(
      'transfer needs an ArrayBuffer or a view of one; a text has nothing to transfer',
    )
  }
  if (bufferOf(bytes).detached) throw new TypeError('these bytes were transferred before')
  return { [transferred]: bytes }
}

/** The buffers that an app gives away with a value. */
export function transfersOf(ready: Ready | undefined): ArrayBuffer[] {
  if (!ready?.transfers || typeof ready.value !== 'object') return []
  return [bufferOf(ready.value as ArrayBuffer)]
}

function bufferOf(bytes: ArrayBuffer | ArrayBufferView<ArrayBuffer>): ArrayBuffer {
  return bytes instanceof ArrayBuffer ? bytes : bytes.buffer
}

/** One of several items. */
export interface Part extends PartItem {
  value: Value
}

/** What {@link contents} returns: for providers alone. */
export interface SeveralContents {
  readonly [several]: readonly Contents[]
}
const several = Symbol('several contents')

/**
 * Several items as the answer to one read: a provider may return it instead of a content. Each has a
 * URI of its own, best one below the URI that is read; `cache` is left out.
 */
export function contents(items: readonly Contents[]): SeveralContents {
  return { [several]: items }
}

/** The body of several items. */
export async function bodyOfParts(parts: readonly Part[]): Promise<Body> {
  const all = parts.map(async ({ value, ...item }) => ({ item, body: await bodyOf(value) }))
  return { version: '', lossy: false, parts: await Promise.all(all) }
}

/**
 * Reads a provider's answer: a string is text, bytes or a Blob are a blob, `undefined` means that
 * there is nothing, anything else is JSON text.
 *
 * @throws TypeError for what JSON cannot write: functions, symbols, cycles, BigInt
 */
export function provided(answer: Provided): Ready | undefined {
  if (typeof answer === 'string') return { value: answer }
  if (answer === undefined) return undefined
  if (typeof answer === 'object' && answer !== null) {
    if (isBinary(answer)) return { value: answer }
    if (several in answer) return severalReady(answer[several] as Contents[])
    if (transferred in answer) return { value: answer[transferred] as ArrayBuffer, transfers: true }
  }
  const text = JSON.stringify(answer)
  if (text === undefined) throw new TypeError(`a ${typeof answer} is not content`)
  return { value: text, mimeType: 'application/json' }
}

function isBinary(value: unknown): value is Bytes {
  return value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value)
}

function severalReady(items: readonly Contents[]): Ready | undefined {
  if (items.length === 0) return undefined
  return { value: items.map(part) }
}

function part(item: Contents): Part {
  const value = checkedItem(item)
  const { uri, mimeType, _meta } = item
  return { uri, mimeType, _meta: jsonCopy(_meta), value }
}

/**
 * The content of an item, all of which is checked: strict clients refuse a whole answer for one member that does not
 * fit the schema.
 *
 * @throws TypeError that names the member that is wrong
 */
export function checkedItem(item: Contents): Value {
  const { uri, mimeType, _meta } = item
  if (typeof uri !== 'string' || uri.length > maxUri || !uriForm.test(uri)) {
    throw new TypeError(`uri of contents is not an absolute URI: ${short(uri)}`)
  }
  const value = exactlyOne(item)
  if (mimeType !== undefined && typeof mimeType !== 'string') {
    throw new TypeError(`mimeType of ${short(uri)} is not a string`)
  }
  if (
    _meta !== undefined &&
    (typeof _meta !== 'object' || _meta === null || Array.isArray(_meta))
  ) {
    throw new TypeError(`_meta of ${short(uri)} is not an object`)
  }
  return value
}

/** Go's engine.CheckURI: RFC 3986 by its characters. */
const uriForm = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/
const maxUri = 8192

/** A value in an error. */
const short = (value: unknown) => String(value).slice(0, 100)

/**
 * The content of an item. Types are checked, for web apps may be written without them.
 *
 * @throws TypeError that names the member that is wrong
 */
export function exactlyOne({ uri, text, blob }: Pick<Contents, 'uri' | 'text' | 'blob'>): Value {
  if ((text === undefined) === (blob === undefined)) {
    throw new TypeError(`contents of ${short(uri)} need exactly one of text and blob`)
  }
  if (blob === undefined) {
    if (typeof text !== 'string') throw new TypeError(`text of ${short(uri)} is not a string`)
    return text
  }
  if (!isBinary(blob)) {
    throw new TypeError(
      `blob of ${short(uri)} is neither an ArrayBuffer, a view of one, nor a Blob`,
    )
  }
  return blob
}
