/** Remembers encoded contents, so that an unchanged value is neither hashed nor encoded again. */

import { type Body, bodyOf, type Value } from './contents.ts'

/** Limits of what is remembered together: after that, everything is forgotten, which is cheaper than an order. */
const maxBodies = 16384
const maxRemembered = 128 << 20 // bytes; a UTF-16 code unit counts as two

/** A template has any number of resources: smaller contents of it are encoded anew faster than collected as garbage. */
const minOfTemplate = 16 << 10 // bytes

/** The last value of each registration, or of each URI of a template, and what became of it. */
export interface Bodies {
  /**
   * What is remembered of a registration. To be called before its provider, so that an answer that comes after
   * {@link Bodies.forget} is not remembered.
   */
  of(ref: number): Remembered
  /** Forgets the contents of `count` registrations from `first` on. */
  forget(first: number, count: number): void
}

export interface Remembered {
  /**
   * The encoded value. Strings are compared by content; bytes by identity: a change in place is not noticed.
   *
   * @param uri - of a template's resource; `undefined`: the registration has one URI
   */
  body(uri: string | undefined, value: Value, mimeType?: string): Body | Promise<Body>
}

interface Known {
  readonly value: Value
  readonly mimeType: string | undefined
  readonly body: Body
  /** In bytes. */
  readonly size: number
}

interface Entry extends Remembered {
  one: Known | undefined
  byUri: Map<string, Known> | undefined
}

export function bodies(): Bodies {
  let entries: (Entry | undefined)[] = [] // used by each read: an array needs no hashing
  let count = 0
  let total = 0

  const drop = (known: Known | undefined) => {
    if (known === undefined) return
    count--
    total -= known.size
  }

  const remember = (ref: number, entry: Entry, uri: string | undefined, known: Known) => {
    if (entries[ref] !== entry) return // forgotten meanwhile
    drop(uri === undefined ? entry.one : entry.byUri?.get(uri))
    count++
    total += known.size
    if (count > maxBodies || total > maxRemembered) {
      entries = []
      count = 0
      total = 0
      return
    }
    if (uri === undefined) entry.one = known
    else {
      entry.byUri ??= new Map()
      entry.byUri.set(uri, known)
    }
  }

  const newEntry = (ref: number): Entry => {
    const entry: Entry = {
      one: undefined,
      byUri: undefined,
      body(uri, value, mimeType) {
        const last = uri === undefined ? entry.one : entry.byUri?.get(uri)
        if (last?.value === value && last.mimeType === mimeType) return last.body
        const keep = (body: Body) => {
          const size = 2 * (body.text ?? body.blob ?? '').length + heldBy(value)
          const least = uri === undefined ? 0 : minOfTemplate
          if (size >= least && size <= maxRemembered)
            remember(ref, entry, uri, { value, mimeType, body, size })
          return body
        }
        const body = bodyOf(value, mimeType)
        return body instanceof Promise ? body.then(keep) : keep(body)
      },
    }
    return entry
  }

  return {
    of(ref) {
      let entry = entries[ref]
      if (entry === undefined) {
        entry = newEntry(ref)
        entries[ref] = entry
      }
      return entry
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

/** The bytes that a value holds besides its encoded content; a view holds its whole buffer. A text is its content. */
export function heldBy(value: Value): number {
  if (typeof value === 'string') return 0
  if (value instanceof Blob) return value.size
  return value instanceof ArrayBuffer ? value.byteLength : value.buffer.byteLength
}
