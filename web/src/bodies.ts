/**
 * Encoded contents of registrations, so that a value that has not changed is not encoded again. One rule
 * says when one is outdated: a body is that of one value, and is used for this value alone (texts are compared, bytes
 * are the same object); it goes with its registration.
 *
 * A published value is kept here by the app's order: there is no limit, and reads are answered without a call to the
 * window. The last values of providers are kept while there is room. Both outlive a program of Go that ends.
 */

import { type Body, bodyOf, bodyOfParts, type Ready, type Value } from './contents.ts'
import { NotFoundError } from './source.ts'

/** Limits of what is kept of providers: after that, all of that goes, which is cheaper than an order. */
const maxBodies = 16384
const maxKept = 128 << 20 // bytes; a UTF-16 code unit counts as two

/** A template has any number of resources: smaller contents of it are encoded anew faster than collected as garbage. */
const minOfTemplate = 16 << 10 // bytes

export interface Bodies {
  /**
   * Publishes a value; `undefined`: the resource has no content, reads answer "not found".
   *
   * @returns whether it may differ from the value before: texts are compared, bytes are not
   */
  publish(ref: number, ready: Ready | undefined): boolean
  isPublished(ref: number): boolean
  /**
   * The published value, encoded at its first read; `undefined` if nothing is published under the number.
   *
   * @throws NotFoundError if the resource has no content
   */
  published(ref: number, uri: string): Body | Promise<Body> | undefined
  /**
   * The entry of a provider. To be called before the provider, so that an answer that comes after
   * {@link Bodies.forget} is not kept.
   */
  of(ref: number): Entry
  /**
   * The encoded value of a provider. A change of bytes in place is not noticed.
   *
   * @param entry - of the registration when the provider was called
   * @param uri - of a template's resource; `undefined`: the registration has one URI
   */
  provided(
    entry: Entry,
    uri: string | undefined,
    value: Value,
    mimeType?: string,
  ): Body | Promise<Body>
  /** Drops the contents of `count` registrations from `first` on. */
  forget(first: number, count: number): void
}

/** What is kept of one registration. */
export interface Entry {
  readonly ref: number
  /** Whether a value is published, which the four members below are of. */
  isPublished: boolean
  /** Dropped when it is encoded. */
  ready: Ready | undefined
  body: Body | Promise<Body> | undefined
  /** For comparison with the next value; of a text only. */
  text: string | undefined
  mimeType: string | undefined
  /** The last value of a provider. */
  one: Known | undefined
  /** Likewise, of a template. */
  byUri: Map<string, Known> | undefined
}

interface Known {
  readonly value: Value
  readonly mimeType: string | undefined
  readonly body: Body
  /** In bytes. */
  readonly size: number
}

export function bodies(): Bodies {
  const entries: (Entry | undefined)[] = [] // used by each read: an array needs no hashing
  let count = 0
  let total = 0

  const drop = (known: Known | undefined) => {
    if (known === undefined) return
    count--
    total -= known.size
  }

  const keep = (entry: Entry, uri: string | undefined, known: Known) => {
    if (entries[entry.ref] !== entry) return // its registration has gone meanwhile
    drop(uri === undefined ? entry.one : entry.byUri?.get(uri))
    count++
    total += known.size
    if (uri === undefined) entry.one = known
    else {
      entry.byUri ??= new Map()
      entry.byUri.set(uri, known)
    }
    if (count <= maxBodies && total <= maxKept) return
    count = 0
    total = 0
    for (const other of entries) if (other) other.one = other.byUri = undefined
  }

  const entryOf = (ref: number): Entry => {
    const entry: Entry = {
      ref,
      isPublished: false,
      ready: undefined,
      body: undefined,
      text: undefined,
      mimeType: undefined,
      one: undefined,
      byUri: undefined,
    }
    entries[ref] = entry
    return entry
  }

  return {
    publish(ref, ready) {
      const entry = entries[ref] ?? entryOf(ref)
      const text = typeof ready?.value === 'string' ? ready.value : undefined
      const mimeType = ready?.mimeType
      if (text !== undefined && entry.text === text && entry.mimeType === mimeType) return false
      entry.isPublished = true
      entry.ready = ready
      entry.body = undefined
      entry.text = text
      entry.mimeType = mimeType
      return true
    },
    isPublished: (ref) => entries[ref]?.isPublished ?? false,
    published(ref, uri) {
      const entry = entries[ref]
      if (!entry?.isPublished) return undefined
      if (entry.body !== undefined) return entry.body
      if (entry.ready === undefined) throw new NotFoundError(uri)
      return encode(entry, entry.ready)
    },
    of: (ref) => entries[ref] ?? entryOf(ref),
    provided(entry, uri, value, mimeType) {
      const last = uri === undefined ? entry.one : entry.byUri?.get(uri)
      if (last?.value === value && last.mimeType === mimeType) return last.body
      const encoded = (body: Body) => {
        const size = 2 * (body.text ?? body.blob ?? '').length + heldBy(value)
        const least = uri === undefined ? 0 : minOfTemplate
        if (size >= least && size <= maxKept) keep(entry, uri, { value, mimeType, body, size })
        return body
      }
      const body = bodyOf(value, mimeType)
      return body instanceof Promise ? body.then(encoded) : encoded(body)
    },
    forget(first, count) {
      for (let ref = first; ref < first + count; ref++) {
        const entry = entries[ref]
        if (entry === undefined) continue
        drop(entry.one)
        for (const known of entry.byUri?.values() ?? []) drop(known)
        entries[ref] = undefined
      }
    },
  }
}

/** Encodes a published value, once. */
function encode(entry: Entry, { value, mimeType }: Ready): Body | Promise<Body> {
  const body = Array.isArray(value) ? bodyOfParts(value) : bodyOf(value, mimeType)
  entry.body = body
  if (!(body instanceof Promise)) {
    entry.ready = undefined
    return body
  }
  body.then(
    (encoded) => {
      if (entry.body !== body) return // there is a newer value
      entry.body = encoded
      entry.ready = undefined
    },
    () => {
      if (entry.body === body) entry.body = undefined // a Blob that cannot be read now: the next read tries again
    },
  )
  return body
}

/** The bytes that a value holds besides its encoded content; a view holds its whole buffer. A text is its content. */
export function heldBy(value: Value): number {
  if (typeof value === 'string') return 0
  if (value instanceof Blob) return value.size
  return value instanceof ArrayBuffer ? value.byteLength : value.buffer.byteLength
}
