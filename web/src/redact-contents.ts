/**
 * The app's hook for contents, {@link StartOptions.redact}: contents of providers and sources pass it before
 * they leave the page. It always runs in the window. If it fails, the read fails.
 *
 * A file of its own in the package, loaded by the first read of a page with a hook.
 */

import { type Bytes, checkSize, exactlyOne, type Ready, type Value } from './contents.ts'
import { type Contents, NotFoundError } from './source.ts'

/**
 * Gets a text or bytes before they leave, and returns a replacement of the same type, or `undefined` for
 * "not found". Bytes are a copy that it may change.
 *
 * @param uri - of the content, as clients of this page read it
 * @param value - the text, or the bytes of a blob
 */
export type Redact = (
  uri: string,
  value: string | Uint8Array<ArrayBuffer>,
) => RedactResult | PromiseLike<RedactResult>

/** What {@link Redact} answers. */
export type RedactResult = string | Uint8Array<ArrayBuffer> | undefined

/** The answer of a provider after the hook. Rejects if the hook throws. */
export async function redactReady(
  redact: Redact,
  uri: string,
  ready: Ready | undefined,
): Promise<Ready | undefined> {
  if (ready === undefined) return undefined
  if (!Array.isArray(ready.value)) {
    const value = await redactValue(redact, uri, ready.value)
    return value === undefined ? undefined : { mimeType: typeOf(ready.value), ...ready, value }
  }
  const parts: Ready['value'] & object[] = []
  for (const part of ready.value) {
    const value = await redactValue(redact, part.uri, part.value)
    if (value !== undefined) parts.push({ mimeType: typeOf(part.value), ...part, value })
  }
  return parts.length === 0 ? undefined : { ...ready, value: parts }
}

/**
 * The contents of a source after the hook. Rejects if the hook throws, and with
 * {@link NotFoundError} if nothing is left.
 *
 * @param uri - that was read, without the prefix of the mount
 */
export async function redactContents(
  redact: Redact,
  prefix: string,
  uri: string,
  contents: readonly Contents[],
): Promise<Contents[]> {
  const left: Contents[] = []
  for (const { text, blob, ...item } of contents) {
    const original = exactlyOne({ uri: item.uri, text, blob })
    const value = await redactValue(redact, prefix + item.uri, original)
    if (value === undefined) continue
    const body =
      typeof value === 'string' ? { text: value } : { blob: value as Uint8Array<ArrayBuffer> }
    left.push({ ...item, mimeType: item.mimeType ?? typeOf(original), ...body })
  }
  if (left.length === 0 && contents.length > 0) throw new NotFoundError(uri)
  return left
}

async function redactValue(redact: Redact, uri: string, value: Value): Promise<Value | undefined> {
  const original = typeof value === 'string' ? value : await bytesOf(value)
  let left: RedactResult
  try {
    left = await redact(uri, original)
  } catch (error) {
    // A new error: a NotFoundError of the hook must not become "not found".
    throw new Error(`redact of ${uri} threw ${String(error)}`, { cause: error })
  }
  const asBytes = left instanceof Uint8Array
  if (left !== undefined && (typeof original === 'string' ? typeof left !== 'string' : !asBytes)) {
    throw new TypeError(
      `redact of ${uri} must return what it was given: text for text, bytes for bytes`,
    )
  }
  return left
}

/** A copy: the hook may change it. */
async function bytesOf(value: Bytes): Promise<Uint8Array<ArrayBuffer>> {
  checkSize(value instanceof Blob ? value.size : value.byteLength)
  if (value instanceof Blob) return new Uint8Array(await value.arrayBuffer())
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice())
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
}

function typeOf(value: Value): string | undefined {
  return (value instanceof Blob && value.type) || undefined
}
