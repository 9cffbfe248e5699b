/**
 * Published values: contents that the web app hands to the engine's thread when it registers a resource. Reads of
 * them are answered there, without a call to the window. They outlive a program of Go that ends.
 */

import { type Body, bodyOf, bodyOfParts, type Ready } from './contents.ts'
import { NotFoundError } from './source.ts'

/** Values by the number of their registration. The web app decides their size: there is no limit here. */
export interface Values {
  /**
   * Stores a value; `undefined`: the resource has no content, reads answer "not found".
   *
   * @returns whether it may differ from the value before: texts are compared, bytes are not
   */
  set(ref: number, ready: Ready | undefined): boolean
  /** Removes the values of `count` registrations from `first` on. */
  delete(first: number, count: number): void
  has(ref: number): boolean
  /**
   * The encoded value; `undefined` if nothing is published under the number. Encoded at the first read, once.
   *
   * @throws NotFoundError if the resource has no content
   */
  body(ref: number, uri: string): Body | Promise<Body> | undefined
}

interface Entry {
  /** What was published; dropped when it is encoded. */
  ready: Ready | undefined
  body: Body | Promise<Body> | undefined
  /** For comparison with the next value; of a text only. */
  readonly text: string | undefined
  readonly mimeType: string | undefined
}

export function values(): Values {
  const entries: (Entry | undefined)[] = [] // used by each read: an array needs no hashing

  const encode = (entry: Entry, ready: Ready) => {
    const body = encoded(ready)
    entry.body = body
    if (body instanceof Promise) {
      body.then(
        (late) => {
          entry.body = late
          entry.ready = undefined
        },
        () => {
          entry.body = undefined // a Blob that cannot be read now: the next read tries again
        },
      )
    } else {
      entry.ready = undefined
    }
    return body
  }

  return {
    set(ref, ready) {
      const old = entries[ref]
      const text = typeof ready?.value === 'string' ? ready.value : undefined
      const mimeType = ready?.mimeType
      if (text !== undefined && old?.text === text && old.mimeType === mimeType) return false
      entries[ref] = { ready, body: undefined, text, mimeType }
      return true
    },
    delete(first, count) {
      for (let ref = first; ref < first + count; ref++) delete entries[ref]
    },
    has: (ref) => entries[ref] !== undefined,
    body(ref, uri) {
      const entry = entries[ref]
      if (entry === undefined) return undefined
      if (entry.body !== undefined) return entry.body
      if (entry.ready === undefined) throw new NotFoundError(uri)
      return encode(entry, entry.ready)
    },
  }
}

function encoded({ value, mimeType }: Ready): Body | Promise<Body> {
  return Array.isArray(value) ? bodyOfParts(value) : bodyOf(value, mimeType)
}
