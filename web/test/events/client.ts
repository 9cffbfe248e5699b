/**
 * A client of the extension for events, SEP-3415 in the draft of 2026-10-05, written from the table of its messages alone:
 * requests by fetch, a stream by the text of its server-sent events. It shares no code with the product.
 */

/** How long anything may take, ms. */
const limit = 30_000

export interface EventDescription {
  name: string
  description: string
  delivery: string[]
  inputSchema: object
  payloadSchema: object
  _meta?: object
}

export interface EventOccurrence {
  eventId: string
  name: string
  timestamp: string
  data: unknown
  cursor?: string
}

export interface PollResult {
  resultType: string
  events: EventOccurrence[]
  cursor: string
  truncated: boolean
  hasMore: boolean
  nextPollMs: number
}

export interface RpcError {
  code: number
  message: string
  data?: Record<string, unknown>
}

interface Message {
  id?: number
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: RpcError
}

export interface EventStream {
  /** The id of its request. */
  readonly id: number
  /** The next notification of a kind, such as `active`; others before it are dropped. */
  next(kind: string): Promise<Record<string, unknown>>
  /** The next notification that fits; `what` is for the error if none does within 30 s. */
  find(
    fits: (kind: string, params: Record<string, unknown>) => boolean,
    what?: string,
  ): Promise<{
    kind: string
    params: Record<string, unknown>
  }>
  /** What the request is answered with, at its end. */
  result(): Promise<Record<string, unknown>>
  close(): void
}

export interface EventsClient {
  discover(): Promise<Record<string, unknown>>
  list(cursor?: string): Promise<{ events: EventDescription[]; nextCursor?: string }>
  poll(params: {
    name: string
    arguments?: object
    cursor: string | null
    maxAgeMs?: number
    maxEvents?: number
  }): Promise<PollResult>
  /** The error of a request, which must have one. */
  error(method: string, params?: object): Promise<RpcError>
  stream(params: {
    name: string
    arguments?: object
    cursor: string | null
    maxAgeMs?: number
  }): Promise<EventStream>
  listen(filter: object): Promise<EventStream>
}

/** @param url - of an endpoint for Streamable HTTP */
export function eventsClient(url: string, token: string): EventsClient {
  let last = 0
  const send = (method: string, params: object, signal: AbortSignal) => {
    const id = ++last
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'events-from-the-table', version: '1' },
    }
    const response = fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
      signal,
    })
    return { id, response }
  }

  const request = async (method: string, params: object): Promise<Message> => {
    const { id, response } = send(method, params, AbortSignal.timeout(limit))
    for await (const message of messages(await response)) if (message.id === id) return message
    throw new Error(`${method} has no answer`)
  }

  const result = async (method: string, params: object) => {
    const { result, error } = await request(method, params)
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }

  const open = async (method: string, params: object): Promise<EventStream> => {
    const ended = new AbortController()
    const { id, response } = send(method, params, ended.signal)
    const answered = await response
    if (!answered.headers.get('content-type')?.startsWith('text/event-stream')) {
      throw new Error(`${method} is no stream: ${await answered.text()}`)
    }
    const all = messages(answered)
    /** The first message that `pick` makes something of. Heartbeats and others do not prolong the time for it. */
    const first = async <T>(
      what: string,
      pick: (message: Message) => T | undefined,
    ): Promise<T> => {
      const timer = setTimeout(() => ended.abort(new Error(`waited for ${what}`)), limit)
      try {
        for (;;) {
          const { value, done } = await all.next()
          if (done) throw new Error(`the stream ended before ${what}`)
          const picked = pick(value)
          if (picked !== undefined) return picked
        }
      } finally {
        clearTimeout(timer)
      }
    }
    const find: EventStream['find'] = (fits, what = 'a notification') =>
      first(what, ({ method, params = {}, error }) => {
        if (error) throw new Error(JSON.stringify(error))
        const kind = method?.replace(/^notifications\/(events\/)?/, '') ?? ''
        const meta = params._meta as Record<string, unknown> | undefined
        if (method?.startsWith('notifications/events/') && !method.endsWith('list_changed')) {
          const own = meta?.['io.modelcontextprotocol/subscriptionId']
          if (own !== id) throw new Error(`${method} is of the request ${String(own)}, not ${id}`)
        }
        return fits(kind, params) ? { kind, params } : undefined
      })
    return {
      id,
      find,
      next: async (wanted) => (await find((kind) => kind === wanted, wanted)).params,
      result: () => first('the result', (one) => (one.id === id ? (one.result ?? {}) : undefined)),
      close: () => ended.abort(new Error('the client has closed the stream')),
    }
  }

  return {
    discover: () => result('server/discover', {}),
    list: (cursor) => result('events/list', cursor === undefined ? {} : { cursor }) as never,
    poll: (params) => result('events/poll', params) as never,
    async error(method, params = {}) {
      const { error, result } = await request(method, params)
      if (error === undefined) throw new Error(`${method}: ${JSON.stringify(result)}`)
      return error
    },
    stream: (params) => open('events/stream', params),
    listen: (notifications) => open('subscriptions/listen', { notifications }),
  }
}

/** The messages of a response: one as JSON, or those of an event stream. */
async function* messages(response: Response): AsyncGenerator<Message, undefined> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    yield (await response.json()) as Message
    return
  }
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end < 0) break
      const data = text
        .slice(0, end)
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trimStart())
      text = text.slice(end + 2)
      if (data.length > 0) yield JSON.parse(data.join('\n')) as Message
    }
  }
}
