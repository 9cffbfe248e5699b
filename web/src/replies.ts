/**
 * Sends what the engine answers: objects over ports, JSON text over text channels. Contents of reads are
 * put in here; they never cross into Go.
 */

import type { AccessDecision } from './access-types.ts'
import type {
  CachedDocument,
  ClientState,
  ClientsHost,
  Params,
  PendingCalls,
  PendingRequest,
} from './clients.ts'
import { deadlines } from './deadlines.ts'
import { type Filler, filler, type Gaps, type ReadResult } from './fill.ts'
import type { Mirror } from './mirror.ts'
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

/** Limits; web/docs/protocol.md lists them. */
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
      if (all.watchReads) reportRead(client, result)
    } else {
      sendText(request, 'result', document.text)
      if (all.watchReads) reportRead(client, objectOf(document))
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
    if (sizeOf(result) > (client.port ? maxPortOut : maxTextOut)) {
      fail(request, reasons.tooLarge, '')
      return
    }
    if (client.port) {
      calls.remove(request)
      if (request.decision) reportDecision(request, sizeOf(result))
      post(client, { jsonrpc: '2.0', id: request.id, result })
    } else {
      sendText(request, 'result', JSON.stringify(result))
    }
    if (all.watchReads) reportRead(client, result)
  }

  function sizeOf({ contents }: ReadResult) {
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

  function reportRead(client: ClientState, result: Record<string, unknown>) {
    if (!('contents' in result)) return
    for (const { uri } of (result as ReadResult).contents) {
      host.read({ uri, client: client.principal })
    }
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
