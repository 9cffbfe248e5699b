/**
 * Sends what the engine answers: objects over ports, JSON text over text channels. Contents of reads are
 * put in here; they never cross into Go.
 */

import type {
  CachedDocument,
  ClientState,
  ClientsHost,
  Params,
  PendingCalls,
  PendingRequest,
} from './clients.ts'
import { type Body, bodyOf, metaLossy, type Ready, sizeOf, type Value } from './contents.ts'
import { assistantOf, type Bodies, encoded, type Mirror } from './mirror.ts'
import type { AccessDecision } from './page-access.ts'
import { NotFoundError } from './source.ts'
import { answers, type Reason, reasonOf, reasons } from './wasm-numbers.ts'

export interface Replies {
  /** Whether {@link ClientsHost.read} is called. */
  watchReads: boolean
  /** Values that sources have read, until the answer is sent. */
  readonly read: Filler['read']
  /** Answers with a Document. */
  document(request: PendingRequest, document: CachedDocument): void
  /** Answers with JSON text. */
  text(request: PendingRequest, member: 'result' | 'error', text: string): void
  /** Puts contents into a skeleton and answers with it, at once if no provider has to be awaited. */
  fill(request: PendingRequest, skeleton: CachedDocument, gaps: Gaps): void
  /** Ends a subscription: its result, then a cancellation (Go's `engine.Sink.End`). */
  endSubscription(request: PendingRequest, result: string): void
  /** Sends a notification. The member `key` of its `_meta` gets the id of `request`. */
  notify(
    client: ClientState,
    document: CachedDocument,
    key: string,
    request: PendingRequest | undefined,
  ): void
  /** Reports a decision: JSON text of an {@link AccessDecision} without size and time. */
  decided(text: string): void
  /** Answers with an internal error, without Go. */
  internalError(request: PendingRequest): void
  /** Whether a resource is withheld from an assistant. */
  isWithheld(assistant: string, uri: string): boolean
  /** The user has denied what a read waits for: its provider is cancelled. */
  revoke(request: PendingRequest): void
  /** Sends a message that exists only as text. */
  message(client: ClientState, text: string): void
  /** Sends an object (port) or text (channel). */
  post(client: ClientState, message: unknown): void
  /** No read is pending, and none will be. */
  stop(): void
}

/** In `_meta` of a gateway's requests: the name for which it vouches. wasm/hop, meta.go. */
const keyPrincipal = 'io.github.pagemcp/principal'

/** Limits; testdata/wire.md lists them. */
const maxPortOut = 64 << 20 // UTF-16 code units of contents in one answer over a port
const maxTextOut = 8 << 20 // bytes of an answer over a text channel
const maxPendingReads = 64 // of one client, which wait for providers
const maxPendingReadsOfGateway = 16 * maxPendingReads // it limits each of its assistants itself
const providerTimeout = 30_000 // ms

const keySubscription = 'io.modelcontextprotocol/subscriptionId'

export function replies(
  host: ClientsHost,
  calls: PendingCalls,
  mirror: Pick<Mirror, 'marked'>,
): Replies {
  const filling = filler(host.provide, host.contents)
  const timeouts = deadlines(providerTimeout)

  function sendDocument(request: PendingRequest, document: CachedDocument) {
    const { client } = request
    calls.remove(request)
    if (request.decision) reportDecision(request, document.text.length)
    if (client.port) {
      const result = objectOf(document)
      post(client, { jsonrpc: '2.0', id: request.id, result })
      if (all.watchReads) reportRead(request, result)
    } else {
      sendText(request, 'result', document.text)
      if (all.watchReads) reportRead(request, objectOf(document))
    }
  }

  function sendText(request: PendingRequest, member: 'result' | 'error', text: string) {
    const { client } = request
    calls.remove(request)
    if (request.decision) reportDecision(request, text.length)
    if (client.port) {
      post(client, { jsonrpc: '2.0', id: request.id, [member]: JSON.parse(text) })
    } else if (member === 'result' && isLonger(text, maxTextOut)) {
      request.isModern = text.startsWith('{"resultType"')
      fail(request, reasons.tooLarge, '')
    } else {
      post(client, `{"jsonrpc":"2.0","id":${request.id},"${member}":${text}}`)
    }
  }

  function fill(request: PendingRequest, skeleton: CachedDocument, gaps: Gaps) {
    const { client } = request
    if (client.isClosed) return
    if (client.pendingReads >= (client.channel ? maxPendingReadsOfGateway : maxPendingReads)) {
      fail(request, reasons.busy, gaps.uri)
      return
    }
    let controller: AbortController | undefined // most reads need none
    const signal = () => {
      controller ??= new AbortController()
      return controller.signal
    }
    const object = objectOf(skeleton) as ReadResult
    let filled: ReadResult | Promise<ReadResult>
    try {
      request.isModern = 'resultType' in object
      filled = filling.fill(object, gaps, signal)
    } catch (error) {
      providerFailed(request, gaps.uri, error)
      return
    }
    if (!(filled instanceof Promise)) {
      sendAllowed(request, gaps, filled, (result) => mirror.marked(client, object, gaps, result))
      return
    }
    calls.add(request)
    client.pendingReads++
    const deadline = timeouts.start(() => {
      controller?.abort(new DOMException('the read took too long', 'TimeoutError'))
      settle(() => fail(request, reasons.timeout, gaps.uri))
    })
    request.abort = (reason) => {
      controller?.abort(reason)
      settle(() => {})
    }
    const settle = (then: () => void) => {
      if (request.abort === undefined) return // cancelled, or too late
      request.abort = undefined
      timeouts.end(deadline)
      client.pendingReads--
      then()
    }
    filled.then(
      (result) => settle(() => sendAllowed(request, gaps, result)),
      (error) => settle(() => providerFailed(request, gaps.uri, error)),
    )
  }

  /**
   * Sends a result without the items of other resources that are withheld from the client. Go has left out those of
   * sources; here are those that a provider returned.
   *
   * @param mark - of a whole result, which a gateway may keep; default: none
   */
  function sendAllowed(
    request: PendingRequest,
    { uri: own }: Gaps,
    result: ReadResult,
    mark = (whole: ReadResult) => whole,
  ) {
    const { decision } = request
    if (decision && own !== '' && result.contents.some(({ uri }) => uri !== own)) {
      const { assistant } = JSON.parse(decision.text) as AccessDecision
      const contents = result.contents.filter(
        ({ uri }) => uri === own || !isWithheld(assistant, uri),
      )
      if (contents.length === 0) return fail(request, reasons.notShared, own)
      if (contents.length < result.contents.length)
        return sendRead(request, { ...result, contents })
    }
    sendRead(request, mark(result))
  }

  function isWithheld(assistant: string, uri: string): boolean {
    return (
      host
        .program()
        .call((exports, program) => exports.withheld(program.write(`${assistant}\n${uri}`))) !==
      answers.idle
    )
  }

  function sendRead(request: PendingRequest, result: ReadResult) {
    const { client } = request
    if (lengthOf(result) > (client.port ? maxPortOut : maxTextOut)) {
      fail(request, reasons.tooLarge, '')
      return
    }
    if (client.port) {
      calls.remove(request)
      if (request.decision) reportDecision(request, lengthOf(result))
      post(client, { jsonrpc: '2.0', id: request.id, result })
    } else {
      sendText(request, 'result', JSON.stringify(result))
    }
    if (all.watchReads) reportRead(request, result)
  }

  function lengthOf({ contents }: ReadResult) {
    let size = 0
    for (const { text, blob } of contents) size += (text ?? blob ?? '').length
    return size
  }

  function providerFailed(request: PendingRequest, uri: string, error: unknown) {
    const reason = reasonOf(error)
    if (reason === reasons.internal) host.report(error)
    fail(request, reason, uri)
  }

  /** Answers with an error where the engine has answered a result; Go knows the error's code. */
  function fail(request: PendingRequest, reason: Reason, uri: string) {
    const { client, call, isModern } = request
    request.isSettled = false
    calls.add(request)
    const answer = host
      .program()
      .call((exports, program) =>
        exports.fail(client.number, call, reason, isModern ? 1 : 0, program.write(uri)),
      )
    if (answer !== answers.done) internalError(request)
  }

  function internalError(request: PendingRequest) {
    request.isSettled = true
    sendText(request, 'error', '{"code":-32603,"message":"Internal error"}') // JSON-RPC 2.0, section 5.1
  }

  function endSubscription(request: PendingRequest, text: string) {
    const { client } = request
    const result = JSON.parse(text) as { _meta?: Params }
    const id = client.port ? request.id : JSON.parse(request.id as string)
    result._meta = { ...result._meta, [keySubscription]: id }
    sendText(request, 'result', JSON.stringify(result))
    const params = { requestId: id }
    message(client, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }))
  }

  function notify(
    client: ClientState,
    document: CachedDocument,
    key: string,
    request: PendingRequest | undefined,
  ) {
    if (request === undefined) {
      post(client, client.port ? objectOf(document) : document.text)
    } else if (client.port) {
      const message = objectOf(document) as { params: Params }
      post(client, { ...message, params: { ...message.params, _meta: { [key]: request.id } } })
    } else {
      const meta = `"_meta":{"${key}":${request.id}}`
      post(
        client,
        document.text.replace('"_meta":{}', () => meta),
      )
    }
  }

  function message(client: ClientState, text: string) {
    post(client, client.port ? JSON.parse(text) : text)
  }

  function post(client: ClientState, message: unknown) {
    if (client.isClosed) return
    try {
      if (client.port) client.port.postMessage(message)
      else client.channel?.send(message as string)
    } catch (error) {
      host.report(error)
    }
  }

  function objectOf(document: CachedDocument) {
    document.object ??= JSON.parse(document.text) as Record<string, unknown>
    return document.object
  }

  function reportDecision(request: PendingRequest, bytes: number) {
    const { text, since } = request.decision as NonNullable<PendingRequest['decision']>
    request.decision = undefined
    decided(text, bytes, since())
  }

  function decided(text: string, bytes = 0, ms = 0) {
    host.decided({ ...(JSON.parse(text) as AccessDecision), bytes, ms })
  }

  function revoke(request: PendingRequest) {
    request.abort?.(new DOMException('the user has ended this access', 'AbortError'))
    fail(request, reasons.revoked, '')
  }

  function reportRead({ client, params }: PendingRequest, result: Record<string, unknown>) {
    if (!('contents' in result)) return
    const meta = params?._meta as Record<string, unknown> | undefined
    const assistant = client.channel ? assistantOf(meta?.[keyPrincipal]) : client.principal
    for (const { uri } of (result as ReadResult).contents) host.read({ uri, assistant })
  }

  const all: Replies = {
    watchReads: false,
    read: filling.read,
    document: sendDocument,
    text: sendText,
    decided,
    fill,
    endSubscription,
    notify,
    internalError,
    isWithheld,
    revoke,
    message,
    post,
    stop: timeouts.stop,
  }
  return all
}

/** Whether text has more bytes of UTF-8 than limit. */
function isLonger(text: string, limit: number): boolean {
  if (text.length * 3 <= limit) return false
  return text.length > limit || new TextEncoder().encode(text).length > limit
}

// Completes the skeleton of a read: Go lists the items and the origin of their contents; text and blob
// are put in here. They never cross into Go.

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

// Values that sources have read, until the answer is sent. Go refers to them by number.

export interface ReadValues {
  /** Stores a value; returns its number, below 0. */
  keep(value: Value): number
  /** Removes a value; `undefined`: it has expired. */
  take(ref: number): Value | undefined
}

/** The most that is stored together: above that the oldest value is dropped, and its read fails. */
const maxStored = 256 << 20 // bytes; a UTF-16 code unit counts as two

/** Longer than any request may take, ms: a value that is older is of a request that was cancelled meanwhile. */
const storedTime = 120_000

export function readValues(): ReadValues {
  const stored = new Map<number, { value: Value; size: number; since: number }>() // oldest first
  let total = 0
  let last = 0

  const take = (ref: number) => {
    const found = stored.get(ref)
    total -= found?.size ?? 0
    stored.delete(ref)
    return found?.value
  }
  return {
    keep(value) {
      last = last === -0x80000000 ? -1 : last - 1
      const now = Date.now()
      const size = typeof value === 'string' ? 2 * value.length : heldBy(value)
      stored.set(last, { value, size, since: now })
      total += size
      for (const [ref, { since }] of stored) {
        if (ref === last || (total <= maxStored && now - since < storedTime)) break
        take(ref)
      }
      return last
    },
    take,
  }
}

/** A view holds its whole buffer. */
const heldBy = (value: Exclude<Value, string>) =>
  ArrayBuffer.isView(value) ? value.buffer.byteLength : sizeOf(value)

// Time limits of one length with a single timer: one of its own for each read would cost more than a small read.

export interface Deadlines {
  /** Calls `late` after the time, unless the returned function is called before. */
  start(late: () => void): Deadline
  end(deadline: Deadline): void
  /** Clears the timer. Deadlines that run are never called. */
  stop(): void
}

export interface Deadline {
  readonly at: number // ms, of performance.now
  readonly late: () => void
}

/** @param limit - of each deadline, ms; it is noticed up to a twentieth of that later */
export function deadlines(limit: number): Deadlines {
  const running = new Set<Deadline>() // in the order in which they end
  let timer: ReturnType<typeof setTimeout> | undefined

  const check = () => {
    timer = undefined
    const now = performance.now()
    for (const deadline of running) {
      if (deadline.at > now) break
      running.delete(deadline)
      deadline.late()
    }
    arm()
  }
  const arm = () => {
    const [next] = running
    if (timer !== undefined || next === undefined) return
    timer = setTimeout(check, next.at - performance.now())
  }

  return {
    start(late) {
      const deadline = { at: performance.now() + limit, late }
      running.add(deadline)
      if (timer === undefined) arm()
      return deadline
    },
    end: (deadline) => running.delete(deadline),
    stop() {
      running.clear()
      clearTimeout(timer)
      timer = undefined
    },
  }
}

/**
 * Measures elapsed time in ms, by the clock that shows more: `Date` may be set back, `performance.now()` may stop
 * while the machine sleeps.
 */
export function stopwatch(): () => number {
  const [date, monotonic] = [Date.now(), performance.now()]
  return () => Math.max(Date.now() - date, performance.now() - monotonic)
}
