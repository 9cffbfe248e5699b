/**
 * Published values in the engine's thread, each encoded at its first read: reads are answered without a call to the window.
 * They are kept by the app's order, so there is no limit, and outlive a program of Go that ends.
 */

import { type Body, bodyOf, bodyOfParts, type Ready } from './contents.ts'
import { NotFoundError } from './source.ts'

export interface Bodies {
  /**
   * Publishes a value; `undefined`: the resource has no content, reads answer "not found".
   *
   * @returns whether it may differ from the value before: texts are compared, bytes are not
   */
  publish(ref: number, ready: Ready | undefined): boolean
  isPublished(ref: number): boolean
  /**
   * The published value, encoded; `undefined` if nothing is published under the number.
   *
   * @throws NotFoundError if the resource has no content
   */
  published(ref: number, uri: string): Body | Promise<Body> | undefined
  /** Drops the values of `count` registrations from `first` on. */
  forget(first: number, count: number): void
}

interface Entry {
  /** Dropped when it is encoded. */
  ready: Ready | undefined
  body: Body | Promise<Body> | undefined
  /** For comparison with the next value; of a text only. */
  readonly text: string | undefined
  readonly mimeType: string | undefined
}

export function bodies(): Bodies {
  const entries: (Entry | undefined)[] = [] // used by each read: an array needs no hashing
  return {
    publish(ref, ready) {
      const { value, mimeType } = ready ?? {}
      const text = typeof value === 'string' ? value : undefined
      const last = entries[ref]
      if (text !== undefined && last?.text === text && last.mimeType === mimeType) return false
      entries[ref] = { ready, body: undefined, text, mimeType }
      return true
    },
    isPublished: (ref) => entries[ref] !== undefined,
    published(ref, uri) {
      const entry = entries[ref]
      if (entry === undefined) return undefined
      if (entry.body !== undefined) return entry.body
      if (entry.ready === undefined) throw new NotFoundError(uri)
      return encode(entry, entry.ready)
    },
    forget(first, count) {
      for (let ref = first; ref < first + count; ref++) entries[ref] = undefined
    },
  }
}

function encode(entry: Entry, ready: Ready): Body | Promise<Body> {
  const body = encoded(ready)
  entry.body = body
  if (!(body instanceof Promise)) {
    entry.ready = undefined
    return body
  }
  body.then(
    (done) => {
      entry.body = done
      entry.ready = undefined
    },
    () => {
      entry.body = undefined // a Blob that cannot be read now: the next read tries again
    },
  )
  return body
}

export const encoded = ({ value, mimeType }: Ready): Body | Promise<Body> =>
  Array.isArray(value) ? bodyOfParts(value) : bodyOf(value, mimeType)
