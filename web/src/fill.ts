/**
 * Completes the skeleton of a read: Go says which items there are and where their contents come
 * from; here text, blob and content version are put in. Nothing of it crosses into Go.
 */

import {
  type Body,
  bodies,
  bodyOf,
  metaLossy,
  metaVersion,
  type Ready,
  type Value,
} from './contents.ts'
import { NotFoundError } from './source.ts'

/** What a provider is told about the read that it shall answer. */
export interface ReadRequest {
  readonly uri: string
  /** Of the template that matched; absent for a resource. */
  readonly variables?: Record<string, string | string[]>
  /** Aborted when the client cancels, its channel closes, or time is up. */
  readonly signal: AbortSignal
}

/** Reads from the provider with this number; `undefined`: there is nothing. */
export type Provide = (
  ref: number,
  request: ReadRequest,
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

/** What Go says besides the skeleton. */
export interface Gaps {
  /** For each item: 0, it is complete; above, the number of a provider; below, of a kept value. */
  refs: number[]
  /** The URI of the first item; `''`: it has one. */
  uri: string
  /** JSON of the template's variables, or `''`. */
  variables: string
}

/** Completes reads, and keeps the values that sources read until they are asked for. */
export interface Filler {
  /**
   * The completed result; a Promise if a provider or a Blob has to be waited for.
   *
   * @throws what a provider throws; {@link NotFoundError}
   */
  fill(skeleton: ReadResult, gaps: Gaps, signal: LazySignal): ReadResult | Promise<ReadResult>
  /** Keeps a value that a source read, and numbers it, below 0. */
  keep(value: Value): number
}

/** How long a value waits for the answer that it belongs to: longer than any request may take. */
const keptFor = 120_000 // ms

export function filler(provide: Provide): Filler {
  const remembered = bodies()
  const kept = new Map<number, { value: Value; since: number }>()
  let lastKept = 0

  const body = (
    ref: number,
    uri: string,
    variables: string,
    signal: LazySignal,
  ): Body | Promise<Body> => {
    if (ref < 0) {
      const own = kept.get(ref)
      kept.delete(ref)
      if (own === undefined) throw new Error(`the content of ${uri} has expired`)
      return bodyOf(own.value)
    }
    const ready = provide(ref, readRequest(uri, variables, signal))
    const key = variables === '' ? ref : uri
    if (ready instanceof Promise) return ready.then((value) => finished(key, uri, value))
    return finished(key, uri, ready)
  }

  const finished = (
    key: string | number,
    uri: string,
    ready: Ready | undefined,
  ): Body | Promise<Body> => {
    if (ready === undefined) throw new NotFoundError(uri)
    const made = remembered.of(key, ready.value)
    const { mimeType } = ready
    if (mimeType === undefined) return made
    if (made instanceof Promise) return made.then((late) => ({ ...late, mimeType }))
    return { ...made, mimeType }
  }

  return {
    fill(skeleton, { refs, uri, variables }, signal) {
      const [first] = skeleton.contents
      if (first !== undefined && skeleton.contents.length === 1 && refs[0]) {
        // nearly always
        const own = uri === '' ? first.uri : uri
        const made = body(refs[0], own, variables, signal)
        const result = (late: Body) => ({ ...skeleton, contents: [complete(first, own, late)] })
        return made instanceof Promise ? made.then(result) : result(made)
      }
      const contents: Item[] = []
      let late: Promise<void>[] | undefined
      for (let i = 0; i < skeleton.contents.length; i++) {
        const item = skeleton.contents[i] as Item
        const ref = refs[i] ?? 0
        const own = i === 0 && uri !== '' ? uri : item.uri
        if (ref === 0) {
          contents.push(item)
          continue
        }
        const made = body(ref, own, variables, signal)
        if (made instanceof Promise) {
          contents.push(item)
          late ??= []
          const place = (body: Body) => {
            contents[i] = complete(item, own, body)
          }
          late.push(made.then(place))
        } else {
          contents.push(complete(item, own, made))
        }
      }
      const result = { ...skeleton, contents }
      return late === undefined ? result : Promise.all(late).then(() => result)
    },
    keep(value) {
      const now = Date.now()
      for (const [ref, { since }] of kept) {
        if (now - since < keptFor) break
        kept.delete(ref) // its request was given up in between
      }
      lastKept = lastKept === -0x80000000 ? -1 : lastKept - 1
      kept.set(lastKept, { value, since: now })
      return lastKept
    },
  }
}

/** An item of the skeleton with its content. */
function complete(item: Item, uri: string, body: Body): Item {
  const whole: Item = { uri }
  const mimeType = item.mimeType ?? body.mimeType
  if (mimeType !== undefined) whole.mimeType = mimeType
  if (body.text === undefined) whole.blob = body.blob
  else whole.text = body.text
  if (item._meta !== undefined) {
    whole._meta = { [metaVersion]: body.version, ...item._meta }
    if (body.lossy) whole._meta[metaLossy] ??= ['']
  }
  return whole
}

/** An AbortSignal that is made when somebody looks at it: most providers never do. */
export interface LazySignal {
  controller: AbortController | undefined
  aborted: boolean
  reason: unknown
}

export function lazySignal(): LazySignal {
  return { controller: undefined, aborted: false, reason: undefined }
}

export function abort(lazy: LazySignal, reason: unknown): void {
  lazy.aborted = true
  lazy.reason = reason
  lazy.controller?.abort(reason)
}

/** Where a request keeps it. */
const hidden = Symbol('signal')

/** The accessor is on a prototype: made anew for each read, it would cost more than the rest. */
const requestPrototype = {
  get signal(): AbortSignal {
    const lazy = (this as unknown as { [hidden]: LazySignal })[hidden]
    if (lazy.controller === undefined) {
      lazy.controller = new AbortController()
      if (lazy.aborted) lazy.controller.abort(lazy.reason)
    }
    return lazy.controller.signal
  },
}

function readRequest(uri: string, variables: string, lazy: LazySignal): ReadRequest {
  const request = Object.create(requestPrototype)
  request.uri = uri
  request[hidden] = lazy
  if (variables !== '') request.variables = JSON.parse(variables)
  return request
}
