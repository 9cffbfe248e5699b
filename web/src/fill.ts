/**
 * Completes the skeleton of a read: Go lists the items and the origin of their contents; text and blob
 * are put in here. They never cross into Go.
 */

import { type Bodies, encoded } from './bodies.ts'
import { type Body, bodyOf, metaLossy, type Ready } from './contents.ts'
import { type ReadValues, readValues } from './read-values.ts'
import { NotFoundError } from './source.ts'

/**
 * Reads from the provider with this number; `undefined`: there is no such resource.
 *
 * @param variables - of the template that matched: JSON text, or `''`
 */
export type Provide = (
  ref: number,
  uri: string,
  variables: string,
  signal: () => AbortSignal,
) => Ready | undefined | Promise<Ready | undefined>

/** The result of a read, or its skeleton. */
export type ReadResult = Record<string, unknown> & { contents: Item[] }
export interface Item {
  uri: string
  mimeType?: string
  text?: string
  blob?: string
  _meta?: Record<string, unknown>
}

/** What is missing in a skeleton. */
export interface Gaps {
  /** For each item: 0, it is complete; above, the number of a provider; below, of a stored value. */
  readonly refs: readonly number[]
  /** The only one of `refs`; 0: there are several. */
  readonly ref: number
  /** The URI of the first item; `''`: it has one. */
  readonly uri: string
  /** JSON of the template's variables, or `''`. */
  readonly variables: string
}

export function gapsOf(refs: readonly number[], uri: string, variables: string): Gaps {
  const ref = refs.length === 1 ? (refs[0] as number) : 0
  return { refs, ref, uri, variables }
}

/** Completes reads, and keeps the values that sources have read until then. */
export interface Filler {
  /**
   * The completed result; a Promise if a provider or a Blob has to be waited for.
   *
   * @throws what a provider throws; {@link NotFoundError}
   */
  fill(
    skeleton: ReadResult,
    gaps: Gaps,
    signal: () => AbortSignal,
  ): ReadResult | Promise<ReadResult>
  /** Values that sources have read. */
  readonly read: ReadValues
}

export function filler(provide: Provide, contents: Bodies): Filler {
  const read = readValues()

  const body = (
    ref: number,
    uri: string,
    variables: string,
    signal: () => AbortSignal,
  ): Body | Promise<Body> => {
    if (ref < 0) {
      const value = read.take(ref)
      if (value === undefined) throw new Error(`the content of ${uri} has expired`)
      return bodyOf(value)
    }
    const own = contents.published(ref, uri)
    if (own !== undefined) return own
    const ready = provide(ref, uri, variables, signal)
    return ready instanceof Promise
      ? ready.then((late) => finished(uri, late))
      : finished(uri, ready)
  }

  const finished = (uri: string, ready: Ready | undefined): Body | Promise<Body> => {
    if (ready === undefined) throw new NotFoundError(uri)
    return encoded(ready)
  }

  return {
    fill(skeleton, { refs, uri, variables }, signal) {
      let isLate = false
      const items = skeleton.contents.map((item, i) => {
        const ref = refs[i] ?? 0
        if (ref === 0) return [item]
        const own = i === 0 && uri !== '' ? uri : item.uri
        const made = body(ref, own, variables, signal)
        if (!(made instanceof Promise)) return completeAll(item, own, made)
        isLate = true
        return made.then((late) => completeAll(item, own, late))
      })
      const result = (all: Item[][]) => ({ ...skeleton, contents: all.flat() })
      return isLate ? Promise.all(items).then(result) : result(items as Item[][])
    },
    read,
  }
}

/** The result of a skeleton with one item, which nearly all reads have. */
export const withBody = (skeleton: ReadResult, uri: string, body: Body): ReadResult => ({
  ...skeleton,
  contents: completeAll(skeleton.contents[0] as Item, uri, body),
})

/** The items of a read of one resource: nearly always one. */
function completeAll(item: Item, uri: string, body: Body): Item[] {
  if (body.text !== undefined || body.parts === undefined) return [complete(item, uri, body)]
  return body.parts.map(({ item: { uri, mimeType = item.mimeType, _meta }, body }) =>
    complete({ uri, mimeType, _meta: item._meta && { ...item._meta, ..._meta } }, uri, body),
  )
}

/** An item of the skeleton with its content. */
function complete(item: Item, uri: string, body: Body): Item {
  const { text, blob, lossy } = body
  const mimeType = item.mimeType ?? body.mimeType
  if (text !== undefined && mimeType !== undefined && item._meta !== undefined && !lossy) {
    if (isEmpty(item._meta)) return { uri, mimeType, text } // nearly all reads end here
  }
  const whole: Item = { uri }
  if (mimeType !== undefined) whole.mimeType = mimeType
  if (text === undefined) whole.blob = blob
  else whole.text = text
  if (item._meta !== undefined) {
    if (lossy) whole._meta = { [metaLossy]: [''], ...item._meta }
    else if (!isEmpty(item._meta)) whole._meta = item._meta
  }
  return whole
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}
