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
          connection.sent.push(message)
          if (message?.id !== undefined) asked.set(JSON.stringify(message.id), message)
          const more = fault.send?.(message, connection)
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
    message.id === undefined && method.test(message.method)
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
const needsInput = (more: object): Fault =>
  result('resources/read', (one, asked) =>
    isModern(asked) ? { resultType: 'input_required', _meta: one._meta, ...more } : one,
  )
const code = (from: number, to: number): Fault =>
  error((one) => {
    if (one.code === from) one.code = to
  })

/** `ids` and the fault that violates them; each is made anew for a run. */
export const faults: readonly (readonly [string, () => Fault])[] = [
  ['R-001', () => ({ receive: (message) => ({ ...message, jsonrpc: '1.0' }) })],
  ['R-001 R-002 R-012 R-248', () => accepts(-32600)],
  [
    'R-003',
    () => ({
      receive: (message) => ({
        ...message,
        ...(typeof message.id === 'number' && { id: String(message.id) }),
      }),
    }),
  ],
  ['R-004', () => ({ receive: (message) => ({ id: null, ...message }) })],
  ['R-247', () => code(-32700, -32603)],
  [
    'R-007',
    () => ({
      receive: (message) =>
        message.result ? { ...message, error: { code: 1, message: '' } } : message,
    }),
  ],
  [
    'R-008',
    () =>
      error((one) => {
        one.code = '5'
      }),
  ],
  ['R-009', () => answersNotes(/unknown/)],
  ['R-069', () => answersNotes(/cancelled/)],
  ['R-022', () => answersNotes(/initialized/)],
  ['R-010', () => ({ send: (message) => (Array.isArray(message) ? false : undefined) })],
  [
    'R-015 R-122 R-255 R-119 R-120 R-188 R-190 R-204 R-205 R-208 R-100 R-102 R-258 R-350 R-364',
    () => accepts(-32602),
  ],
  ['R-035 R-045 R-154 R-090 R-143 R-216 R-218', () => accepts(-32602)],
  ['R-014 R-053 R-060', () => accepts(-32601)],
  ['R-037', () => accepts(-32022)],
  ['R-119 R-150', () => accepts(-32002)],
  [
    'R-119',
    () =>
      error((one) => {
        delete one.data
      }),
  ],
  [
    'R-362',
    () =>
      declares((caps) => {
        delete caps.tools
      }),
  ],
  [
    'R-104 R-042',
    () =>
      declares((caps) => {
        delete caps.resources
      }),
  ],
  [
    'R-193 R-026',
    () =>
      declares((caps) => {
        delete caps.prompts
      }),
  ],
  [
    'R-179 R-190',
    () =>
      declares((caps) => {
        delete caps.completions
      }),
  ],
  ['R-042 R-026', () => rejects((asked) => asked.method === 'prompts/list', -32601)],
  [
    'R-147',
    () =>
      declares((caps) => {
        caps.resources = {}
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
    'R-018',
    () =>
      result('initialize', (one) => {
        delete one.serverInfo.version
      }),
  ],
  [
    'R-027',
    () =>
      result('initialize', (one) => {
        one.serverInfo.title = 5
      }),
  ],
  [
    'R-105',
    () =>
      declares((caps) => {
        caps.resources.subscribe = 'yes'
      }),
  ],
  [
    'R-019',
    () =>
      result('initialize', (one, asked) => {
        if (asked.params.protocolVersion === '2025-11-25') one.protocolVersion = '2025-06-18'
      }),
  ],
  [
    'R-020 R-065',
    () =>
      result('initialize', (one, asked) => {
        one.protocolVersion = asked.params.protocolVersion
      }),
  ],
  ['R-021', () => rejects((asked) => asked.params?.protocolVersion === '1900-01-01', -32600)],
  [
    'R-023',
    () => ({
      receive: (message, asked) =>
        asked?.method === 'initialize'
          ? [message, note('notifications/resources/list_changed')]
          : message,
    }),
  ],
  [
    'R-024',
    () =>
      rejects(
        (asked, { sent }) =>
          asked.method === 'ping' && !sent.some((one) => one.method === 'initialize'),
      ),
  ],
  [
    'R-025',
    () =>
      items('resources', (one) => {
        one.title = 'Title'
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
  ['R-032', () => besides('ping', () => ({ jsonrpc: '2.0', id: 1, method: 'roots/list' }))],
  [
    'R-051',
    () => besides('resources/list', () => ({ jsonrpc: '2.0', id: 1, method: 'roots/list' })),
  ],
  [
    'R-033',
    () =>
      result('', (one, asked) => {
        if (asked.params?.task) one.task = {}
      }),
  ],
  [
    'R-036',
    () =>
      rejects(
        (asked) => isModern(asked) && !asked.params._meta['io.modelcontextprotocol/clientInfo'],
      ),
  ],
  [
    'R-038',
    () =>
      rejects(
        (asked, { sent }) =>
          asked.id !== 'raw' && sent.some((one) => JSON.stringify(one).includes('2099-01-01')),
      ),
  ],
  ['R-039', () => rejects((asked) => asked.method === 'server/discover')],
  [
    'R-040',
    () =>
      result('server/discover', (one) => {
        one.serverInfo = { name: 'x', version: '1' }
      }),
  ],
  [
    'R-041',
    () =>
      rejects(
        (asked, { number, sent }) =>
          number > 1 && sent.length === 1 && asked.method.endsWith('/list'),
      ),
  ],
  [
    'R-043',
    () =>
      inEra(true, (one) => {
        delete one._meta
      }),
  ],
  [
    'R-044',
    () =>
      result('resources/list', (one, asked) => {
        if (
          isModern(asked) &&
          asked.params._meta['io.modelcontextprotocol/clientInfo'].name === 'other'
        )
          one.resources = []
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
    'R-047 R-219',
    () => rejects((asked, { sent }) => asked.params?.cursor && sent.length === 1, -32602),
  ],
  [
    'R-049',
    () =>
      inEra(true, (one) => {
        delete one.resultType
      }),
  ],
  [
    'R-050',
    () =>
      inEra(true, (one) => {
        one.resultType = 'done'
      }),
  ],
  [
    'R-052',
    () =>
      error((one) => {
        one.code = -32021
        one.data = { requiredCapabilities: ['x'] }
      }),
  ],
  ['R-054', () => rejects((asked) => asked.method === 'initialize', -32601)],
  [
    'R-057 R-059 R-064',
    () =>
      inEra(true, (one) => {
        delete one.resultType
      }),
  ],
  [
    'R-058 R-064',
    () =>
      inEra(false, (one) => {
        one.resultType = 'complete'
      }),
  ],
  [
    'R-061',
    () =>
      rejects(
        (asked, { sent }) =>
          asked.method === 'initialize' && sent.some((one) => one.method === 'server/discover'),
        -32600,
      ),
  ],
  ['R-062', () => code(-32601, -32022)],
  [
    'R-063',
    () =>
      error((one) => {
        if (one.data?.supported) one.data.supported = ['2030-01-01']
      }),
  ],
  [
    'R-070',
    () => ({
      receive: (message, asked, { sent }) =>
        asked && sent.some((one) => one.params?.requestId === asked.id)
          ? [message, message]
          : message,
    }),
  ],
  [
    'R-074',
    () => besides('resources/list', () => note('notifications/cancelled', { requestId: 1 })),
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
    'R-080 R-167',
    () =>
      onStream((id) =>
        note('notifications/progress', tagged(id, { progressToken: 1, progress: 1 })),
      ),
  ],
  [
    'R-083',
    () =>
      result('resources/list', (one, asked) => {
        if (isModern(asked)) one.resultType = 'input_required'
      }),
  ],
  ['R-084', () => needsInput({})],
  ['R-085 R-086', () => needsInput({ inputRequests: { one: { method: 'other', params: {} } } })],
  ['R-092', () => needsInput({ requestState: 'x', ttlMs: 1, cacheScope: 'private' })],
  [
    'R-099',
    () => ({
      ...declares((caps) => {
        delete caps.logging
      }),
      ...{},
      send: (message) =>
        message.method === 'resources/read'
          ? [note('notifications/message', { level: 'info', data: 'x' })]
          : undefined,
    }),
  ],
  [
    'R-101',
    () =>
      besides('resources/list', () => note('notifications/message', { level: 'info', data: 'x' })),
  ],
  [
    'R-106',
    () =>
      result('resources/list', (one) => {
        one.resources = null
      }),
  ],
  [
    'R-107',
    () =>
      result('resources/list', (one, _, { number }) => {
        one.resources.push({ uri: `mine://${number}`, name: 'mine' })
      }),
  ],
  [
    'R-195',
    () =>
      result('prompts/list', (one, _, { number }) => {
        one.prompts.push({ name: `mine ${number}` })
      }),
  ],
  [
    'R-363',
    () =>
      result('tools/list', (one, _, { number }) => {
        one.tools.push({ name: `mine ${number}`, inputSchema: { type: 'object' } })
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
    'R-109',
    () =>
      items('resources', (one) => {
        one.uri = 'notes://1'
      }),
  ],
  [
    'R-110',
    () =>
      items('resources', (one) => {
        one.name = ' '
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
    'R-116',
    () =>
      items('contents', (one) => {
        if (one.text) one.text = '\ud800'
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
  ['R-123 R-139 R-141', () => rejects((asked) => asked.params?.uri?.startsWith('lines:'), -32602)],
  [
    'R-128',
    () =>
      items('resources', (one) => {
        one.uri = 'notes://a b'
      }),
  ],
  [
    'R-136',
    () =>
      result('resources/templates/list', (one) => {
        delete one.resourceTemplates
      }),
  ],
  [
    'R-137',
    () =>
      items('resourceTemplates', (one) => {
        delete one.name
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
    'R-140',
    () =>
      items('contents', (one) => {
        one.mimeType = 'text/html'
      }),
  ],
  [
    'R-144',
    () =>
      result('resources/subscribe', (one) => {
        one.more = 1
      }),
  ],
  ['R-145', () => rejects((asked) => asked.method === 'resources/unsubscribe')],
  [
    'R-152',
    () =>
      rejects(
        (asked, { sent }) =>
          sent.filter((one) => one.method === asked.method && one.params?.uri === asked.params.uri)
            .length > 1 && asked.method === 'resources/subscribe',
      ),
  ],
  [
    'R-146',
    () =>
      besides('resources/list', () =>
        note('notifications/resources/updated', { uri: 'notes://9' }),
      ),
  ],
  [
    'R-149',
    () =>
      besides('resources/list', () =>
        note('notifications/resources/updated', { uri: 'notes://1', text: 'new' }),
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
    'R-157 R-169',
    () =>
      ack((granted) => {
        granted.unknown = true
      }),
  ],
  ['R-158', () => besides('resources/list', () => note('notifications/resources/list_changed'))],
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
    'R-162',
    () =>
      onStream((id) => note('notifications/resources/updated', tagged(id, { uri: 'notes://9' }))),
  ],
  [
    'R-178',
    () => besides('ping', () => note('notifications/resources/list_changed', { uris: [] })),
  ],
  [
    'R-159',
    () =>
      ack((_, params) => {
        params._meta[subscription] = String(params._meta[subscription])
      }),
  ],
  [
    'R-161',
    () => ({
      send: (message, { sent }) =>
        message.method === 'subscriptions/listen' &&
        sent.filter((one) => one.method === message.method).length > 4
          ? false
          : undefined,
    }),
  ],
  [
    'R-353',
    () => ({
      send: (message, { number }) =>
        message.method === 'subscriptions/listen' && number > 1 ? false : undefined,
    }),
  ],
  [
    'R-163',
    () => {
      let ended: unknown
      return {
        send(message) {
          if (message.method === 'notifications/cancelled') ended = message.params.requestId
          return message.method === 'server/discover' && ended !== undefined
            ? [note('notifications/resources/list_changed', tagged(ended))]
            : undefined
        },
      }
    },
  ],
  [
    'R-168',
    () =>
      declares((caps) => {
        delete caps.prompts.listChanged
      }),
  ],
  [
    'R-171',
    () =>
      ack((granted) => {
        granted.resourceSubscriptions = ['no scheme']
      }),
  ],
  [
    'R-180',
    () =>
      result('completion/complete', (one) => {
        delete one.completion
      }),
  ],
  [
    'R-184',
    () =>
      result('completion/complete', (one) => {
        one.completion.values = Array(101).fill('x')
      }),
  ],
  ['R-181 R-182', () => rejects((asked) => asked.method === 'completion/complete')],
  ['R-191', () => rejects((asked) => asked.params?.argument?.name === 'conformance-unknown')],
  [
    'R-192',
    () =>
      result('completion/complete', (one, asked) => {
        if (isModern(asked)) one.ttlMs = 1
      }),
  ],
  [
    'R-194',
    () =>
      result('prompts/list', (one) => {
        one.prompts = {}
      }),
  ],
  [
    'R-196',
    () =>
      items('prompts', (one) => {
        one.description = 5
      }),
  ],
  [
    'R-197',
    () =>
      items('prompts', (one) => {
        one.arguments = [{ required: true }]
      }),
  ],
  [
    'R-198',
    () =>
      result('prompts/get', (one) => {
        delete one.messages
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
    'R-200',
    () =>
      items('messages', (one) => {
        one.content = { type: 'video' }
      }),
  ],
  [
    'R-201',
    () =>
      items('messages', (one) => {
        if (one.content.type === 'image') one.content.mimeType = 'png'
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
    'R-211',
    () =>
      result('prompts/get', (one) => {
        one.ttlMs = 1
      }),
  ],
  ['R-213', () => rejects((asked) => typeof asked.params?.cursor === 'string', -32602)],
  [
    'R-214',
    () =>
      result('resources/list', (one) => {
        one.nextCursor = 5
      }),
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
    'R-222',
    () =>
      result('resources/list', (one) => {
        one.ttlMs = -1
      }),
  ],
  [
    'R-223',
    () =>
      result('resources/list', (one) => {
        one.cacheScope = 'all'
      }),
  ],
  [
    'R-224',
    () =>
      result('completion/complete', (one) => {
        one.cacheScope = 'private'
      }),
  ],
  [
    'R-225',
    () =>
      result('resources/list', (one, asked) => {
        if (asked.params.cursor) one.cacheScope = 'public'
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
  [
    'R-242',
    () =>
      items('resources', (one) => {
        one._meta = { 'com.mcp/mine': 1 }
      }),
  ],
  ['R-244', () => rejects((asked) => asked.params?._meta?.['com.example/unknown'], -32602)],
  ['R-245', () => rejects((asked) => asked.params?._meta?.traceparent, -32602)],
  ['R-246', () => code(-32601, -32604)],
  [
    'R-249 R-250 R-251 R-252',
    () =>
      error((one) => {
        one.code =
          { [-32601]: -32002, [-32602]: -32050, [-32600]: -32500 }[one.code as number] ?? one.code
      }),
  ],
  [
    'R-254',
    () =>
      error((one) => {
        one.message = 'Error: no\n    at read (server.ts:12:5)'
      }),
  ],
  [
    'R-263',
    () =>
      items('resources', (one) => {
        one.mimeType = 'text'
      }),
  ],
  ['R-284 R-296 R-297 R-299', () => ({ status: 200 })],
  ['R-298', () => ({ ...code(-32601, -32021), status: 200 })],
  [
    'R-343',
    () => ({
      send: (message) =>
        message.id === 'stray'
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
