/** Servers that violate requirements: the good one, with one fault put before it. It is one table, and so one file. */

import type { Dialer } from '../../../playground/connections/transport.ts'

// biome-ignore lint/suspicious/noExplicitAny: messages of any shape, on purpose
export type Message = any

/** What a fault does. One is made for each run; all connections of the run share it. */
export interface Fault {
  /** Changes a message of the server; `asked` is the request that it responds to. Returns what is delivered. */
  receive?(
    message: Message,
    asked: Message | undefined,
    connection: Connection,
  ): Message[] | Message
  /** Messages to deliver when the client sends one; `false`: and the server does not get it. */
  send?(message: Message, connection: Connection): Message[] | false | undefined
  /** HTTP statuses: as a server of Streamable HTTP. */
  status?: number
}

export interface Connection {
  number: number
  sent: Message[]
}

/** A server with a fault. */
export function faulty(good: Dialer, fault: Fault): Dialer {
  let count = 0
  return {
    ...good,
    ...(fault.status && { kind: 'http' as const }),
    async dial(events) {
      const connection: Connection = { number: ++count, sent: [] }
      const asked = new Map<string, Message>()
      const deliver = (message: Message) =>
        events.received(
          JSON.stringify(message),
          'port',
          fault.status ? { status: fault.status } : undefined,
        )
      const transport = await good.dial({
        ...events,
        received(text) {
          const message = JSON.parse(text)
          const request =
            message.method === undefined ? asked.get(JSON.stringify(message.id)) : undefined
          const changed = fault.receive ? fault.receive(message, request, connection) : message
          for (const one of Array.isArray(changed) && !Array.isArray(message) ? changed : [changed])
            deliver(one)
        },
      })
      return {
        ...transport,
        close: () => transport.close(),
        send(text) {
          let message: Message
          try {
            message = JSON.parse(text)
          } catch {
            message = {}
          }
          if (typeof message?.method === 'string') connection.sent.push(message)
          if (typeof message?.method === 'string') asked.set(JSON.stringify(message.id), message)
          const isOdd =
            typeof (message?.method ?? '') !== 'string' || typeof message?.params?.uri === 'object'
          const more = isOdd ? undefined : fault.send?.(message, connection)
          if (more !== false) transport.send(text)
          for (const one of more || []) deliver(one)
        },
      }
    },
  }
}

const subscription = 'io.modelcontextprotocol/subscriptionId'
const isModern = (asked: Message) =>
  asked?.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined

/** Changes results of a method; `''`: of all. */
const result = (
  method: string,
  change: (result: Message, asked: Message, connection: Connection) => unknown,
): Fault => ({
  receive(message, asked, connection) {
    if (message.result && asked && (method === '' || asked.method === method))
      message.result = change(message.result, asked, connection) ?? message.result
    return message
  },
})
/** Changes results in one era only. */
const inEra = (modern: boolean, change: (result: Message, asked: Message) => void): Fault =>
  result('', (one, asked) => {
    if (isModern(asked) === modern) change(one, asked)
  })
/** Changes errors. */
const error = (change: (error: Message, asked: Message, message: Message) => void): Fault => ({
  receive(message, asked) {
    if (message.error) change(message.error, asked, message)
    return message
  },
})
/** Accepts what must be rejected with a code. */
const accepts = (code: number): Fault => ({
  receive(message, asked) {
    if (message.error?.code !== code) return message
    return {
      jsonrpc: '2.0',
      id: message.id ?? 'raw',
      result: isModern(asked) ? { resultType: 'complete', contents: [] } : {},
    }
  },
})
/** Delivers a message before each response to a method. */
const besides = (method: string, make: (asked: Message) => Message): Fault => ({
  receive: (message, asked) => (asked?.method === method ? [make(asked), message] : message),
})
const note = (method: string, params?: object) => ({
  jsonrpc: '2.0',
  method,
  ...(params && { params }),
})
/** Delivers a notification of a subscription after its acknowledgement. */
const onStream = (make: (id: unknown) => Message): Fault => ({
  receive: (message) =>
    message.method === 'notifications/subscriptions/acknowledged'
      ? [message, make(message.params._meta[subscription])]
      : message,
})
const tagged = (id: unknown, more: object = {}) => ({ ...more, _meta: { [subscription]: id } })
/** Changes the declared capabilities, of both eras. */
const declares = (change: (capabilities: Message) => void): Fault =>
  result('', (one) => {
    if (one.capabilities) change(one.capabilities)
  })
const items = (name: string, change: (item: Message) => void): Fault =>
  result('', (one) => {
    if (Array.isArray(one[name])) one[name].forEach(change)
  })
/** Rejects requests. */
const rejects = (
  wrong: (asked: Message, connection: Connection) => unknown,
  code = -32603,
  data?: unknown,
): Fault => ({
  receive: (message, asked, connection) =>
    asked && wrong(asked, connection)
      ? {
          jsonrpc: '2.0',
          id: message.id,
          error: { code, message: 'No', ...(data !== undefined && { data }) },
        }
      : message,
})
const answersNotes = (method: RegExp): Fault => ({
  send: (message) =>
    message?.id === undefined && method.test(message?.method)
      ? [{ jsonrpc: '2.0', id: 'raw', error: { code: -32600, message: 'No' } }]
      : undefined,
})
const ack = (change: (granted: Message, params: Message) => void): Fault => ({
  receive(message) {
    if (message.method === 'notifications/subscriptions/acknowledged')
      change(message.params.notifications, message.params)
    return message
  },
})
const progress = (params: object): Fault =>
  besides('resources/read', (asked) =>
    note('notifications/progress', {
      progressToken: asked.params._meta?.progressToken ?? 'x',
      progress: 1,
      ...params,
    }),
  )
const code = (from: number, to: number): Fault =>
  error((one) => {
    if (one.code === from) one.code = to
  })

/** `ids` and the fault that violates them; each is made anew for a run. */
export const faults: readonly (readonly [string, () => Fault])[] = [
  ['R-001 R-002 R-012 R-248', () => accepts(-32600)],
  ['R-004', () => ({ receive: (message) => ({ id: null, ...message }) })],
  [
    'R-007',
    () => ({
      receive: (message) =>
        message.result ? { ...message, error: { code: 1, message: '' } } : message,
    }),
  ],
  ['R-009', () => answersNotes(/unknown/)],
  ['R-069', () => answersNotes(/cancelled/)],
  [
    'R-015 R-122 R-255 R-119 R-120 R-188 R-190 R-204 R-205 R-208 R-100 R-102 R-258 R-350 R-364',
    () => accepts(-32602),
  ],
  ['R-014 R-053 R-060', () => accepts(-32601)],
  ['R-037', () => accepts(-32022)],
  ['R-119', () => accepts(-32002)],
  [
    'R-104 R-042',
    () =>
      declares((caps) => {
        delete caps.resources
      }),
  ],
  [
    'R-017',
    () => ({
      send: (message, { sent }) =>
        message.method?.endsWith('/list') &&
        !isModern(message) &&
        !sent.some((one) => one.method === 'initialize')
          ? [{ jsonrpc: '2.0', id: message.id, result: { resources: [] } }]
          : undefined,
    }),
  ],
  [
    'R-020 R-065',
    () =>
      result('initialize', (one, asked) => {
        one.protocolVersion = asked.params.protocolVersion
      }),
  ],
  [
    'R-028',
    () =>
      result('ping', (one) => {
        one.more = 1
      }),
  ],
  [
    'R-030',
    () => ({
      receive: (message, asked, { sent }) =>
        asked?.method === 'initialize' && sent.some((one) => one.params?.requestId === asked.id)
          ? []
          : message,
    }),
  ],
  [
    'R-040',
    () =>
      result('server/discover', (one) => {
        one.serverInfo = { name: 'x', version: '1' }
      }),
  ],
  [
    'R-043',
    () =>
      inEra(true, (one) => {
        delete one._meta
      }),
  ],
  [
    'R-046',
    () => ({
      receive: (message, asked, { sent }) =>
        asked && sent.filter((one) => one.method === asked.method).length > 6 ? [] : message,
    }),
  ],
  [
    'R-049',
    () =>
      inEra(true, (one) => {
        delete one.resultType
      }),
  ],
  [
    'R-057 R-059 R-064',
    () =>
      inEra(true, (one) => {
        delete one.resultType
      }),
  ],
  ['R-075 R-079', () => progress({ progressToken: 'nobody asked' })],
  [
    'R-076',
    () => ({
      receive: (message, asked) =>
        asked?.params?._meta?.progressToken
          ? [
              note('notifications/progress', {
                progressToken: asked.params._meta.progressToken,
                progress: 1,
              }),
              note('notifications/progress', {
                progressToken: asked.params._meta.progressToken,
                progress: 1,
              }),
              message,
            ]
          : message,
    }),
  ],
  [
    'R-077',
    () => ({
      receive: (message, asked) =>
        asked?.params?._meta?.progressToken
          ? [
              message,
              note('notifications/progress', {
                progressToken: asked.params._meta.progressToken,
                progress: 1,
              }),
            ]
          : message,
    }),
  ],
  [
    'R-083',
    () =>
      result('resources/list', (one, asked) => {
        if (isModern(asked)) one.resultType = 'input_required'
      }),
  ],
  [
    'R-108',
    () =>
      items('resources', (one) => {
        one.size = 'large'
      }),
  ],
  [
    'R-113',
    () =>
      items('resources', (one) => {
        if (one.size) one.size++
      }),
  ],
  [
    'R-114',
    () =>
      items('contents', (one) => {
        one.blob = ''
      }),
  ],
  [
    'R-117 R-267',
    () =>
      items('contents', (one) => {
        delete one.text
        one.blob = 'a-b'
      }),
  ],
  [
    'R-138',
    () =>
      items('resourceTemplates', (one) => {
        one.uriTemplate = 'lines://{n'
      }),
  ],
  [
    'R-146',
    () =>
      besides('resources/list', () =>
        note('notifications/resources/updated', { uri: 'notes://9' }),
      ),
  ],
  ['R-155', () => onStream((id) => note('notifications/resources/list_changed', tagged(id)))],
  [
    'R-156',
    () => ({
      receive: (message) =>
        message.method?.endsWith('acknowledged')
          ? [note('notifications/resources/list_changed', { _meta: message.params._meta }), message]
          : message,
    }),
  ],
  [
    'R-174 R-177',
    () => ({
      ...declares((caps) => {
        caps.prompts = {}
      }),
      send: (message) =>
        message.method === 'resources/list'
          ? [note('notifications/prompts/list_changed')]
          : undefined,
    }),
  ],
  [
    'R-159',
    () =>
      ack((_, params) => {
        params._meta[subscription] = String(params._meta[subscription])
      }),
  ],
  [
    'R-168',
    () =>
      declares((caps) => {
        delete caps.prompts.listChanged
      }),
  ],
  [
    'R-199',
    () =>
      items('messages', (one) => {
        one.role = 'system'
      }),
  ],
  [
    'R-202',
    () =>
      items('messages', (one) => {
        if (one.content.resource) delete one.content.resource.mimeType
      }),
  ],
  [
    'R-206',
    () =>
      rejects(
        (asked) =>
          asked.method === 'prompts/get' &&
          asked.params.arguments?.note === '1' &&
          !asked.params.arguments.how,
      ),
  ],
  [
    'R-215',
    () =>
      result('resources/list', (one) => {
        one.nextCursor ??= null
      }),
  ],
  [
    'R-221',
    () =>
      result('resources/list', (one) => {
        delete one.ttlMs
      }),
  ],
  [
    'R-233 R-234 R-235',
    () =>
      items('resources', (one) => {
        one.annotations = { audience: ['all'], priority: 2, lastModified: 'yesterday' }
      }),
  ],
  [
    'R-237 R-238',
    () =>
      items('resources', (one) => {
        one.icons = [{ src: 'javascript:1', sizes: 5 }]
      }),
  ],
  [
    'R-241',
    () =>
      items('resources', (one) => {
        one._meta = { 'a b': 1 }
      }),
  ],
  ['R-246', () => code(-32601, -32604)],
  [
    'R-254',
    () =>
      error((one) => {
        one.message = 'Error: no\n    at read (server.ts:12:5)'
      }),
  ],
  ['R-284 R-296 R-297 R-299', () => ({ status: 200 })],
  [
    'R-343',
    () => ({
      send: (message) =>
        message?.id === 'stray'
          ? [{ jsonrpc: '2.0', id: 'stray', error: { code: -32600, message: 'No' } }]
          : undefined,
    }),
  ],
  [
    'R-352',
    () => {
      let owner = 0
      return {
        receive(message, asked, { number }) {
          if (asked?.id !== 'same') return message
          owner = owner || number
          return owner === number ? message : []
        },
      }
    },
  ],
  [
    'R-365',
    () =>
      declares((caps) => {
        caps.extensions = { mine: {} }
      }),
  ],
]
