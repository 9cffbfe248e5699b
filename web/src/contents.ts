/**
 * Encodes contents: the value of a provider becomes the member `text` or `blob` of a
 * result. Contents stay in JavaScript; Go never sees them.
 */

export type { Redact } from './redact-contents.ts'

import { jsonCopy } from './json.ts'
import { lazily } from './module.ts'
import type * as redaction from './redact-contents.ts'
import type { Contents } from './source.ts'

/** The `_meta` key that lists, by JSON Pointer (RFC 6901), the parts of a content that are incomplete. */
export const metaLossy = 'io.github.pagemcp/lossy'

/** The members of one item: `text`, or `blob` in Base64. */
export interface Body {
  readonly text?: string
  readonly blob?: string
  /** The MIME type that follows from the value, where the description has none. */
  readonly mimeType?: string
  /** Lone surrogates, which UTF-8 cannot carry, became U+FFFD. */
  readonly lossy: boolean
  /** Instead of all that: several items. */
  readonly parts?: readonly { readonly item: PartItem; readonly body: Body }[]
}

/** The description of a part. */
type PartItem = Pick<Contents, 'uri' | 'mimeType' | '_meta'>

/** The most bytes of one read: as many as an answer over a port has in Base64. */
const maxBytes = 48 << 20

/** A content is larger than any answer may be. */
class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

/**
 * To be called before bytes are read: a file of hundreds of megabytes ends the engine's Worker.
 *
 * @throws an error named `TooLargeError`
 */
export function checkSize(bytes: number): void {
  if (bytes > maxBytes) throw new TooLargeError(`${bytes} bytes; a content has at most ${maxBytes}`)
}

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
    return { text, mimeType, lossy: !whole }
  }
  checkSize(sizeOf(value))
  if (value instanceof Blob) {
    const type = mimeType ?? (isMediaType(value.type) ? value.type : undefined) // of a file: any text
    return value.arrayBuffer().then((buffer) => bytesBody(new Uint8Array(buffer), type))
  }
  if (value instanceof ArrayBuffer) return bytesBody(new Uint8Array(value), mimeType)
  return bytesBody(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), mimeType)
}

/** Of bytes; texts are in memory already. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return 0
  return value instanceof Blob ? value.size : value.byteLength
}

function bytesBody(bytes: Uint8Array<ArrayBuffer>, mimeType: string | undefined): Body {
  return { blob: toBase64(bytes), mimeType, lossy: false }
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

/** The answers that a provider may return; see {@link provided}. */
export type Provided = unknown

/** A value made ready to be sent to the engine's thread, with the MIME type that follows from it. */
export interface Ready {
  value: Value | Part[]
  mimeType?: string
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
  checkSize(parts.reduce((sum, { value }) => sum + sizeOf(value), 0))
  const all = parts.map(async ({ value, ...item }) => ({ item, body: await bodyOf(value) }))
  return { lossy: false, parts: await Promise.all(all) }
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
  }
  const text = JSON.stringify(answer)
  if (text === undefined)
    throw new TypeError(
      `a ${typeof answer} is not content: return text, bytes or what JSON can write`,
    )
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
  if (mimeType && !isMediaType(mimeType)) {
    throw new TypeError(`mimeType of ${short(uri)} is not a media type: ${short(mimeType)}`)
  }
  if (
    _meta !== undefined &&
    (typeof _meta !== 'object' || _meta === null || Array.isArray(_meta))
  ) {
    throw new TypeError(`_meta of ${short(uri)} is not an object`)
  }
  return value
}

/** Go's checkURI: RFC 3986 by its characters. */
const uriForm =
  /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:\/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/
const maxUri = 8192

/** Go's validMediaType: RFC 9110, section 8.3.1. */
const mediaTypeForm =
  /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?:[ \t]*;(?:[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[\t !#-[\]-~]|\\[\t -~])*"))?)*(?:(?<=;)[ \t]+)?$/

/** Whether a text is a media type, and could be the value of a header. */
export const isMediaType = (text: string): boolean => mediaTypeForm.test(text)

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

// The app's hook for contents. redact-contents.ts has the code; if that does not load, reads fail.

const load = () => lazily('redact-contents.js', import('./redact-contents.ts'))

/** There is a hook, which contents will pass. */
export const prepareRedaction = () => void load()

/** The answer of a provider after the hook. Rejects if the hook throws. */
export const redactReady: typeof redaction.redactReady = async (...args) =>
  (await load()).redactReady(...args)

/** The contents of a source after the hook. Rejects if the hook throws, or nothing is left. */
export const redactContents: typeof redaction.redactContents = async (...args) =>
  (await load()).redactContents(...args)

/** The request that a provider gets. */
export interface ReadRequest {
  readonly uri: string
  /** Of the template that matched; absent for a resource. */
  readonly variables?: Record<string, string>
  /** Aborted when the client cancels, its channel closes, or the read times out. */
  readonly signal: AbortSignal
}

/** @param variables - JSON text, or `''` */
export function readRequest(
  uri: string,
  variables: string,
  signal: () => AbortSignal,
): ReadRequest {
  return new Request(uri, variables, signal)
}

/** A class for its accessor: with one of its own, an object costs more than the rest of a read. */
class Request implements ReadRequest {
  readonly uri: string
  readonly variables?: Record<string, string>
  readonly #signal: () => AbortSignal

  constructor(uri: string, variables: string, signal: () => AbortSignal) {
    this.uri = uri
    this.#signal = signal
    if (variables !== '') this.variables = JSON.parse(variables)
  }

  get signal(): AbortSignal {
    return this.#signal()
  }
}

/** Base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array<ArrayBuffer>): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** @throws a `DOMException` named `InvalidCharacterError` for other text */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
