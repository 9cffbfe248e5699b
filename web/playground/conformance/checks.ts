/**
 * The checks of a conformance run: a table of messages that a client may send without effects, and what the
 * server must answer. Rules that hold for every message are in rules.ts. The ids are those of requirements.json.
 */

import { expand } from 'pagemcp'
import type { Params } from '../protocol/revisions.ts'
import { type Era, isObject, type Peer, type Reply, revisionOf } from './peer.ts'
import { fits, lists } from './rules.ts'
import { skip, type Trial } from './trial.ts'

/** `ids eras`, the capability that it needs, and the messages. */
export type Check = readonly [string, string, (trial: Trial) => Promise<void>]

const version = 'io.modelcontextprotocol/protocolVersion'
const abilities = 'io.modelcontextprotocol/clientCapabilities'
const level = 'io.modelcontextprotocol/logLevel'
const subscription = 'io.modelcontextprotocol/subscriptionId'
const envelope: Params = { [version]: revisionOf.E, [abilities]: {} }

/** What each capability makes available: a request that works without arguments, or is rejected for them. */
const offers: readonly (readonly [string, string, string])[] = [
  ['resources', 'resources/list', 'R-104'],
  ['prompts', 'prompts/list', 'R-193'],
  ['tools', 'tools/list', 'R-362'],
  ['completions', 'completion/complete', 'R-179'],
]

const unknownUri = (trial: Trial) => {
  const scheme = /^[^:]+/.exec(String(trial.some('resources')[0]?.uri ?? 'conformance'))
  return `${scheme}://conformance-unknown/${Date.now()}`
}

/** The text of a request in the form of the era, to be made wrong. */
const text = (era: Era, more: Params, meta: Params = envelope) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 'raw',
    method: era === 'E' ? 'server/discover' : 'ping',
    ...(era === 'E' && { params: { _meta: meta } }),
    ...more,
  })

const raw = async (trial: Trial, line: string): Promise<Reply> =>
  (await trial.main.raw(line, { expected: true }))[0] as Reply

const need = (trial: Trial, path: string) =>
  path
    .split('.')
    .reduce<unknown>((caps, name) => (isObject(caps) ? caps[name] : undefined), trial.caps) ||
  skip(`${path} not declared`)

/** A list that the server has. */
const aList = (trial: Trial): string =>
  offers.find(([name, method]) => trial.caps[name] && method.endsWith('/list'))?.[1] ??
  skip('no lists')

/** Opens a subscription and waits for its acknowledgement. */
async function listen(peer: Peer, notifications: unknown, id?: unknown) {
  const asked = peer.begin(
    'subscriptions/listen',
    { notifications },
    id === undefined ? {} : { id },
  )
  const tagged = () =>
    peer.got.find(({ message: { params } }) => {
      const meta = isObject(params) && isObject(params._meta) ? params._meta : {}
      return JSON.stringify(meta[subscription]) === JSON.stringify(asked.id)
    })
  await peer.until(() => tagged() !== undefined || asked.reply !== undefined)
  const ack = tagged()
  const params = (ack?.message.params ?? {}) as Params
  return {
    asked,
    row: ack?.row ?? asked.row,
    text: ack?.text ?? asked.reply?.text,
    granted: params.notifications as Params | undefined,
  }
}

const end = (peer: Peer, id: unknown) => peer.notify('notifications/cancelled', { requestId: id })

/** Values for the arguments of a prompt: completions, else a word. */
async function argumentsOf(trial: Trial, prompt: Params, all: boolean): Promise<Params> {
  const values: Params = {}
  for (const { name, required } of (prompt.arguments ?? []) as {
    name: string
    required?: boolean
  }[])
    if (all || required) {
      const some = await complete(trial, { type: 'ref/prompt', name: prompt.name }, name)
      values[name] = some[0] ?? 'test'
    }
  return values
}

async function complete(trial: Trial, ref: Params, name: string): Promise<string[]> {
  if (!trial.caps.completions) return []
  const { result } = await trial.ask('completion/complete', { ref, argument: { name, value: '' } })
  const values = isObject(result?.completion) ? result.completion.values : []
  return Array.isArray(values) ? (values as string[]) : []
}

export const checks: readonly Check[] = [
  // JSON-RPC
  [
    'R-001 R-248',
    'DE',
    async (trial) => {
      for (const jsonrpc of ['1.0', 2, undefined])
        trial.refused('R-001 R-248', await raw(trial, text(trial.era, { jsonrpc })), -32600)
      trial.refused('R-248', await raw(trial, text(trial.era, { method: 5 })), -32600)
    },
  ],
  [
    'R-002',
    'DE',
    async (trial) => {
      for (const id of [null, true, {}, [], 1.5]) {
        const reply = await raw(trial, text(trial.era, { id }))
        trial.ok('R-002', reply, !reply.result)
      }
    },
  ],
  [
    'R-003',
    'DE',
    async (trial) => {
      for (const id of [0, -1, '', 'a', '1', Number.MAX_SAFE_INTEGER, 'ü☃']) {
        const reply = await trial.ask(trial.era === 'E' ? 'server/discover' : 'ping', undefined, {
          id,
        })
        trial.ok('R-003', reply, reply.text, `a response with the id ${JSON.stringify(id)}`)
      }
    },
  ],
  [
    'R-004 R-247',
    'DE',
    async (trial) => {
      const reply = await raw(trial, '{"jsonrpc":"2.0","id":1,')
      trial.refused('R-247', reply, -32700)
      trial.ok('R-004', reply, reply.error && !('id' in JSON.parse(reply.text)))
    },
  ],
  [
    'R-009 R-069',
    'DE',
    async (trial) => {
      for (const [ids, method, params] of [
        ['R-009', 'notifications/unknown', {}],
        ['R-009', 'notifications/cancelled', 5],
        ['R-009 R-069', 'notifications/cancelled', {}],
        ['R-009 R-069', 'notifications/cancelled', { requestId: 'never sent' }],
        ['R-009 R-069', 'notifications/cancelled', { requestId: {} }],
      ] as const)
        trial.silent(ids, await trial.main.raw(JSON.stringify({ jsonrpc: '2.0', method, params })))
    },
  ],
  [
    'R-012 R-284',
    'DE',
    async (trial) => {
      const reply = await raw(
        trial,
        `[${text(trial.era, { id: 'a' })},${text(trial.era, { id: 'b' })}]`,
      )
      trial.refused('R-012', reply, -32600)
      if (trial.era === 'E' && trial.main.kind === 'http')
        trial.ok('R-284', reply, trial.main.status(reply.row) === 400)
    },
  ],
  [
    'R-010',
    'D',
    async (trial) => {
      const peer = await trial.fresh()
      const { result } = await peer.handshake('2025-03-26')
      if (result?.protocolVersion !== '2025-03-26') skip('2025-03-26 not supported')
      const from = peer.got.length
      const row = peer.send(`[${text('D', { id: 'a' })},${text('D', { id: 'b' })}]`)
      const both = () => {
        const said = peer.got.slice(from).map((one) => one.text)
        return said.join().includes('"a"') && said.join().includes('"b"')
      }
      await peer.until(both)
      trial.ok('R-010', { row }, both())
    },
  ],
  [
    'R-014 R-026 R-042 R-104 R-147 R-179 R-190 R-193 R-362',
    'DE',
    async (trial) => {
      trial.refused('R-014', await trial.ask('conformance/unknown'), -32601)
      for (const [name, method, id] of offers) {
        const reply = await trial.ask(method, {})
        const declared = isObject(trial.caps[name])
        const ids = `${id} ${trial.era === 'E' ? 'R-042' : 'R-026'}`
        if (declared)
          trial.ok(
            ids,
            reply,
            reply.text && reply.error?.code !== -32601,
            `no -32601: ${name} is declared`,
          )
        else trial.refused(`${ids} R-014${name === 'completions' ? ' R-190' : ''}`, reply, -32601)
      }
      const { subscribe } = (trial.caps.resources ?? {}) as Params
      if (trial.era === 'D' && !subscribe)
        trial.refused(
          'R-147',
          await trial.ask('resources/subscribe', { uri: unknownUri(trial) }),
          -32601,
        )
    },
  ],
  [
    'R-015 R-122 R-255',
    'DE',
    async (trial) => {
      need(trial, 'resources')
      // Over HTTP, a header that lacks the name may be noticed first.
      const codes = trial.era === 'E' && trial.main.kind === 'http' ? [-32602, -32020] : [-32602]
      for (const params of [{}, { uri: 5 }, { uri: null }])
        trial.refused('R-015 R-122', await trial.ask('resources/read', params), ...codes)
      for (const uri of ['', 'no scheme', 'http://[', '\u0000'])
        trial.refused(
          'R-122 R-255',
          await trial.ask('resources/read', { uri }),
          -32602,
          ...(trial.era === 'D' ? [-32002] : []),
        )
    },
  ],
  // Lifecycle
  [
    'R-018 R-027 R-105',
    'D',
    async (trial) => {
      const { greeting } = trial
      trial.gave('R-018', greeting, (result) => fits(result, 'InitializeResult', 'D'))
      trial.gave('R-027', greeting, ({ serverInfo }) => fits(serverInfo, 'Implementation', 'D'))
      trial.gave('R-105', greeting, ({ capabilities }) =>
        fits(capabilities, 'ServerCapabilities', 'D'),
      )
    },
  ],
  [
    'R-019 R-020 R-021 R-065',
    'D',
    async (trial) => {
      const begin = async (wanted: string) =>
        (await trial.fresh()).ask('initialize', {
          protocolVersion: wanted,
          capabilities: {},
          clientInfo: { name: 'conformance', version: '1' },
        })
      const odd = await begin('1900-01-01')
      if (odd.error) {
        trial.refused('R-021', odd, -32602)
        trial.ok(
          'R-020 R-021',
          odd,
          Array.isArray((odd.error.data as Params | undefined)?.supported),
          'data.supported',
        )
      } else
        trial.gave(
          'R-020',
          odd,
          ({ protocolVersion: one }) =>
            /^\d{4}-\d\d-\d\d$/.test(String(one)) && one !== '1900-01-01',
        )
      const known = String(odd.result?.protocolVersion ?? revisionOf.D)
      trial.gave(
        'R-019',
        await begin(known),
        (result) => result.protocolVersion === known,
        `with the version ${known}`,
      )
      const modern = await begin(revisionOf.E)
      trial.ok('R-065', modern, modern.text && modern.result?.protocolVersion !== revisionOf.E)
    },
  ],
  [
    'R-022 R-023 R-024',
    'D',
    async (trial) => {
      const peer = await trial.fresh()
      trial.gave('R-024', await peer.barrier())
      await peer.ask('initialize', {
        protocolVersion: revisionOf.D,
        capabilities: {},
        clientInfo: { name: 'conformance', version: '1' },
      })
      await peer.barrier()
      const early = peer.got.find(
        ({ message: { method } }) =>
          method !== undefined && method !== 'ping' && method !== 'notifications/message',
      )
      trial.ok('R-023', early ?? { row: trial.greeting.row }, !early)
      trial.silent(
        'R-022',
        await peer.raw('{"jsonrpc":"2.0","method":"notifications/initialized"}'),
      )
    },
  ],
  [
    'R-017',
    'D',
    async (trial) => {
      const peer = await trial.fresh()
      const reply = await peer.ask(aList(trial), {})
      trial.ok('R-017', reply, !reply.result)
      trial.gave('R-017', await peer.handshake())
    },
  ],
  [
    'R-025',
    'D',
    async (trial) => {
      const peer = await trial.fresh()
      const { result } = await peer.handshake('2025-03-26')
      if (result?.protocolVersion !== '2025-03-26') skip('2025-03-26 not supported')
      const [method = '', member = ''] =
        lists.find(([, one]) => trial.some(one).some(({ title, icons }) => title ?? icons)) ??
        skip('no titles or icons')
      trial.gave('R-025', await peer.ask(method, {}), (result) =>
        (result[member] as Params[])?.every((one) => !('title' in one) && !('icons' in one)),
      )
    },
  ],
  [
    'R-028',
    'D',
    async (trial) =>
      trial.gave('R-028', await trial.ask('ping'), (result) => Object.keys(result).length === 0),
  ],
  [
    'R-030',
    'D',
    async (trial) => {
      const peer = await trial.fresh()
      const asked = peer.begin('initialize', {
        protocolVersion: revisionOf.D,
        capabilities: {},
        clientInfo: { name: 'conformance', version: '1' },
      })
      end(peer, asked.id)
      trial.gave('R-030', await peer.reply(asked))
    },
  ],
  [
    'R-033',
    'D',
    async (trial) => {
      if (trial.caps.tasks) skip('tasks declared')
      trial.gave(
        'R-033',
        await trial.ask(aList(trial), { task: { ttl: 1000 } }),
        (result) => !('task' in result),
      )
    },
  ],
  [
    'R-035 R-297',
    'E',
    async (trial) => {
      const metas: (Params | undefined)[] = [
        { [version]: revisionOf.E },
        { ...envelope, [abilities]: 5 },
      ]
      // Over HTTP, a message without a version is one of an older revision.
      if (trial.main.kind !== 'http')
        metas.push(undefined, { [abilities]: {} }, { ...envelope, [version]: 5 })
      for (const meta of metas) {
        const reply = await raw(trial, text('E', { params: { _meta: meta } }))
        trial.refused('R-035', reply, -32602)
        if (trial.main.kind === 'http')
          trial.ok('R-297', reply, trial.main.status(reply.row) === 400)
      }
    },
  ],
  ['R-036', 'E', async (trial) => trial.gave('R-036', await raw(trial, text('E', {})))],
  [
    'R-037 R-038 R-063',
    'E',
    async (trial) => {
      const wanted = '2099-01-01'
      const reply = await raw(trial, text('E', {}, { ...envelope, [version]: wanted }))
      const { supported, requested } = (reply.error?.data ?? {}) as Params
      trial.refused('R-037', reply, -32022)
      trial.ok(
        'R-037',
        reply,
        Array.isArray(supported) && requested === wanted,
        `data.supported, and data.requested "${wanted}"`,
      )
      const all = trial.greeting.result?.supportedVersions
      trial.ok(
        'R-063',
        reply,
        Array.isArray(supported) &&
          Array.isArray(all) &&
          supported.every((one) => all.includes(one)),
      )
      trial.gave('R-038', await trial.ask('server/discover'))
    },
  ],
  [
    'R-039 R-040 R-105 R-365',
    'E',
    async (trial) => {
      const { greeting } = trial
      trial.gave('R-039', greeting)
      trial.gave(
        'R-040',
        greeting,
        (result) => fits(result, 'DiscoverResult', 'E') && !('serverInfo' in result),
      )
      trial.gave('R-105', greeting, ({ capabilities }) =>
        fits(capabilities, 'ServerCapabilities', 'E'),
      )
      const { extensions } = trial.caps
      if (extensions)
        trial.gave('R-365', greeting, () =>
          Object.entries(extensions).every(
            ([id, one]) => /^[A-Za-z][\w.-]*\/[\w.-]+$/.test(id) && isObject(one),
          ),
        )
    },
  ],
  [
    'R-041',
    'E',
    async (trial) => trial.gave('R-041', await (await trial.fresh()).ask(aList(trial), {})),
  ],
  [
    'R-044 R-107 R-195 R-244 R-245',
    'E',
    async (trial) => {
      const peer = await trial.fresh()
      for (const [method, member] of lists.filter(
        ([one]) => trial.caps[one.split('/')[0] as string],
      )) {
        const list = async (from: Peer, _meta?: Params) => {
          const { row, text, result } = await from.ask(method, { _meta })
          return { row, text, items: JSON.stringify(result?.[member]) }
        }
        const here = await list(trial.main)
        const there = await list(peer)
        const ids = { resources: 'R-107', prompts: 'R-195', tools: 'R-363' }[member]
        if (ids) trial.ok(ids, there, here.items && here.items === there.items)
        const named = await list(peer, {
          'io.modelcontextprotocol/clientInfo': { name: 'other', version: '2' },
        })
        trial.ok('R-044', named, named.items && named.items === here.items)
        const more = await list(trial.main, { 'com.example/unknown': { a: [1] }, plain: 1 })
        trial.ok('R-244', more, more.items)
        const traced = await list(trial.main, {
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        })
        trial.ok('R-245', traced, traced.items)
      }
    },
  ],
  [
    'R-045 R-350',
    'E',
    async (trial) => {
      if (trial.main.kind === 'http') skip('over HTTP this is a message of an older revision')
      const peer = await trial.another()
      trial.refused('R-045', await peer.ask(aList(trial), {}, { as: 'D' }), -32602)
      for (const method of ['server/discover', 'subscriptions/listen'])
        trial.refused('R-350', await peer.ask(method, {}, { as: 'D' }), -32602)
    },
  ],
  [
    'R-046',
    'DE',
    async (trial) => {
      const method = aList(trial)
      const asked = Array.from({ length: 8 }, () => trial.main.begin(method, {}))
      for (const one of asked) trial.gave('R-046', await trial.main.reply(one))
    },
  ],
  [
    'R-047 R-219',
    'E',
    async (trial) => {
      const [method, cursor] =
        Object.entries(trial.cursors)[0] ?? skip('no list with a second page')
      trial.gave('R-047 R-219', await (await trial.fresh()).ask(method, { cursor }))
    },
  ],
  [
    'R-053 R-060',
    'E',
    async (trial) => {
      for (const method of [
        'initialize',
        'ping',
        'logging/setLevel',
        'resources/subscribe',
        'resources/unsubscribe',
      ])
        trial.refused(
          method === 'initialize' ? 'R-053 R-060' : 'R-053',
          await trial.ask(method, {}),
          -32601,
        )
    },
  ],
  [
    'R-057 R-058 R-059',
    'D',
    async (trial) => {
      const method = aList(trial)
      const [classic, modern] = [
        trial.main.begin(method, {}),
        trial.main.begin(method, {}, { as: 'E' }),
      ]
      const reply = await trial.main.reply(modern)
      if (reply.error) skip('2026-07-28 not supported')
      trial.gave('R-057 R-059', reply, (result) => 'resultType' in result)
      trial.gave(
        'R-058 R-059',
        await trial.main.reply(classic),
        (result) => !('resultType' in result),
      )
    },
  ],
  [
    'R-061',
    'E',
    async (trial) => {
      const peer = await trial.another()
      const reply = await peer.ask(
        'initialize',
        {
          protocolVersion: revisionOf.D,
          capabilities: {},
          clientInfo: { name: 'conformance', version: '1' },
        },
        { as: 'D' },
      )
      if (reply.error?.data) skip('only 2026-07-28 supported')
      trial.gave('R-061', reply)
    },
  ],
  [
    'R-070',
    'DE',
    async (trial) => {
      const asked = trial.main.begin(aList(trial), {})
      end(trial.main, asked.id)
      const next = await trial.main.barrier()
      const replies = trial.main.got.filter(
        ({ message }) => message.id === asked.id && message.method === undefined,
      )
      trial.ok('R-070', next, next.result && replies.length <= 1)
    },
  ],
  [
    'R-343',
    'E',
    async (trial) => {
      if (trial.main.kind === 'http') skip('HTTP has its own rule')
      trial.silent('R-343', await trial.main.raw('{"jsonrpc":"2.0","id":"stray","result":{}}'))
    },
  ],
  [
    'R-352',
    'DE',
    async (trial) => {
      const method = aList(trial)
      const other = await trial.another()
      const both = [trial.main, other].map((peer) => ({
        peer,
        asked: peer.begin(method, {}, { id: 'same' }),
      }))
      for (const { peer, asked } of both) trial.gave('R-352', await peer.reply(asked))
    },
  ],
  // Logging
  [
    'R-100',
    'D',
    async (trial) => {
      need(trial, 'logging')
      trial.refused('R-100', await trial.ask('logging/setLevel', { level: 'verbose' }), -32602)
      trial.gave('R-100', await trial.ask('logging/setLevel', { level: 'emergency' }))
    },
  ],
  [
    'R-102',
    'E',
    async (trial) => {
      need(trial, 'logging')
      trial.refused(
        'R-102',
        await trial.ask(aList(trial), { _meta: { [level]: 'verbose' } }),
        -32602,
      )
    },
  ],
  // Resources
  [
    'R-109',
    'DE',
    async (trial) => {
      need(trial, 'resources')
      const uris = trial.some('resources').map(({ uri }) => uri)
      trial.ok('R-109', trial.greeting, new Set(uris).size === uris.length)
    },
  ],
  [
    'R-113',
    'DE',
    async (trial) => {
      const { uri, size } =
        trial.some('resources').find((one) => one.size !== undefined) ?? skip('no sizes')
      const reply = await trial.ask('resources/read', { uri })
      const [one] = (reply.result?.contents ?? []) as { text?: string; blob?: string }[]
      const bytes =
        one?.blob === undefined ? new TextEncoder().encode(one?.text).length : atob(one.blob).length
      trial.ok('R-113', reply, bytes === size, `${String(size)} bytes, the declared size`)
    },
  ],
  [
    'R-119 R-120',
    'DE',
    async (trial) => {
      need(trial, 'resources')
      const uri = unknownUri(trial)
      const reply = await trial.ask('resources/read', { uri })
      trial.refused('R-119', reply, trial.era === 'E' ? -32602 : -32002)
      trial.ok(
        'R-119',
        reply,
        (reply.error?.data as Params | undefined)?.uri === uri,
        'data.uri with the URI',
      )
      trial.ok('R-120', reply, !reply.result)
    },
  ],
  [
    'R-123 R-138 R-139 R-140 R-141',
    'DE',
    async (trial) => {
      const templates = trial.some('resourceTemplates')
      trial.first('resourceTemplates')
      for (const { uriTemplate, mimeType } of templates.slice(0, 6)) {
        const template = String(uriTemplate)
        const values: { [name: string]: string } = {}
        let complete_ = true
        for (const [, operator = '', list = ''] of template.matchAll(/\{([+#./;?&]?)([^{}]*)\}/g))
          for (const part of list.split(',')) {
            const name = part.replace(/(:\d+|\*)$/, '')
            const [value] = await complete(trial, { type: 'ref/resource', uri: template }, name)
            if (value !== undefined) values[name] = value
            else if (!/[;?&]/.test(operator)) complete_ = false
          }
        let uri = ''
        try {
          uri = expand(template, values)
        } catch {
          // not a template
        }
        const at = { row: trial.greeting.row, text: template }
        trial.ok(
          'R-138',
          at,
          uri &&
            /^(?:[^{}]|\{[+#./;?&]?[\w%.]+(?:\*|:\d+)?(?:,[\w%.]+(?:\*|:\d+)?)*\})*$/.test(
              template,
            ),
        )
        if (!complete_ || uri === '') continue
        const reply = await trial.ask('resources/read', { uri })
        const listed = trial.some('resources').some((one) => one.uri === uri)
        trial.gave(listed ? 'R-139 R-141' : 'R-139 R-141 R-123', reply)
        const contents = (reply.result?.contents ?? []) as Params[]
        if (mimeType && contents[0])
          trial.ok(
            'R-140',
            reply,
            contents[0].mimeType === mimeType,
            `mimeType ${String(mimeType)} of the template`,
          )
      }
    },
  ],
  [
    'R-258',
    'DE',
    async (trial) => {
      const base = String(trial.first('resources').uri)
      for (const path of [
        '/../../../../../../etc/passwd',
        '/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
        '/..\\..\\..\\windows\\win.ini',
        '/%00',
      ])
        trial.refused(
          'R-258',
          await trial.ask('resources/read', { uri: base.replace(/\/?$/, path) }),
        )
    },
  ],
  [
    'R-090',
    'E',
    async (trial) => {
      const { uri } = trial.first('resources')
      trial.refused('R-090', await trial.ask('resources/read', { uri, inputResponses: 5 }), -32602)
    },
  ],
  // Subscriptions
  [
    'R-144 R-145 R-150 R-152',
    'D',
    async (trial) => {
      need(trial, 'resources.subscribe')
      const { uri } = trial.first('resources')
      const send = (verb: string) => trial.ask(`resources/${verb}`, { uri })
      const empty = (result: Params) => Object.keys(result).length === 0
      trial.gave('R-144', await send('subscribe'), empty)
      trial.gave('R-152', await send('subscribe'))
      trial.gave('R-145', await send('unsubscribe'), empty)
      trial.gave('R-152', await send('unsubscribe'))
      trial.refused(
        'R-150',
        await trial.ask('resources/subscribe', { uri: unknownUri(trial) }),
        -32002,
        -32602,
      )
    },
  ],
  [
    'R-154 R-157 R-168 R-169 R-171',
    'E',
    async (trial) => {
      trial.refused('R-154', await trial.ask('subscriptions/listen', {}), -32602)
      const empty = await listen(trial.main, {})
      trial.ok('R-154', empty, empty.granted)
      end(trial.main, empty.asked.id)
      const wanted = {
        resourceSubscriptions: ['no scheme', unknownUri(trial)],
        resourcesListChanged: true,
        promptsListChanged: true,
        toolsListChanged: true,
        unknown: true,
      }
      const full = await listen(trial.main, wanted)
      end(trial.main, full.asked.id)
      const { granted = {} } = full
      trial.ok('R-157 R-169', full, full.granted && !('unknown' in granted))
      trial.ok(
        'R-171',
        full,
        full.granted && !((granted.resourceSubscriptions ?? []) as string[]).includes('no scheme'),
      )
      for (const name of ['resources', 'prompts', 'tools']) {
        const { listChanged } = (trial.caps[name] ?? {}) as Params
        if (!listChanged)
          trial.ok(
            'R-168',
            full,
            full.granted && !granted[`${name}ListChanged`],
            `no ${name}ListChanged: listChanged is not declared`,
          )
      }
      if (!(trial.caps.resources as Params | undefined)?.subscribe)
        trial.ok(
          'R-168',
          full,
          full.granted && !((granted.resourceSubscriptions ?? []) as string[]).length,
          'no resourceSubscriptions: subscribe is not declared',
        )
    },
  ],
  [
    'R-159 R-161 R-353',
    'E',
    async (trial) => {
      const other = await trial.fresh()
      for (const id of [9001, '9001', 0, 'a']) {
        const one = await listen(trial.main, {}, id)
        trial.ok(
          'R-159',
          one,
          one.granted,
          `an acknowledgement with the subscription id ${JSON.stringify(id)}`,
        )
      }
      const second = await listen(trial.main, {})
      trial.ok('R-161', second, second.granted)
      const same = await listen(other, {}, 9001)
      trial.ok('R-353', same, same.granted)
      for (const id of [9001, '9001', 0, 'a', second.asked.id]) end(trial.main, id)
      end(other, 9001)
    },
  ],
  [
    'R-163',
    'E',
    async (trial) => {
      const { asked, granted } = await listen(trial.main, { resourcesListChanged: true })
      if (!granted) skip('no acknowledgement')
      end(trial.main, asked.id)
      await trial.main.barrier()
      const from = trial.main.got.length
      await trial.main.barrier()
      const late = trial.main.got.slice(from).find(({ text }) => text.includes(subscription))
      trial.ok(
        'R-163',
        late ?? asked,
        !late && (!asked.reply || 'result' in asked.reply.message === false),
      )
    },
  ],
  // Completion
  [
    'R-181 R-182 R-188 R-190 R-191',
    'DE',
    async (trial) => {
      need(trial, 'completions')
      const send = (ref: unknown, argument: unknown) =>
        trial.ask('completion/complete', { ref, argument })
      const prompt = trial
        .some('prompts')
        .find((one) => Array.isArray(one.arguments) && one.arguments.length > 0)
      const argument = { name: 'test', value: '' }
      trial.refused(
        'R-190',
        await send({ type: 'ref/prompt', name: 'conformance-unknown' }, argument),
        -32602,
      )
      for (const [ref, one] of [
        [{ type: 'ref/other', name: 'x' }, argument],
        [5, argument],
        [{ type: 'ref/prompt' }, argument],
        [
          { type: 'ref/prompt', name: 'x' },
          { name: 'x', value: 5 },
        ],
      ])
        trial.refused('R-188', await send(ref, one), -32602)
      if (prompt) {
        const ref = { type: 'ref/prompt', name: prompt.name }
        trial.gave(
          'R-181',
          await send(ref, { name: (prompt.arguments as Params[])[0]?.name, value: '' }),
        )
        const odd = await send(ref, { name: 'conformance-unknown', value: '' })
        trial.ok(
          'R-191',
          odd,
          odd.error?.code === -32602 ||
            (odd.result?.completion as Params)?.values?.toString() === '',
        )
      }
      const template = trial
        .some('resourceTemplates')
        .find(({ uriTemplate }) => /\{\w+\}/.test(String(uriTemplate)))
      if (template)
        trial.gave(
          'R-182',
          await send(
            { type: 'ref/resource', uri: template.uriTemplate },
            { name: /\{(\w+)\}/.exec(String(template.uriTemplate))?.[1], value: '' },
          ),
        )
    },
  ],
  // Prompts
  [
    'R-204 R-205 R-206 R-208',
    'DE',
    async (trial) => {
      need(trial, 'prompts')
      trial.refused(
        'R-204',
        await trial.ask('prompts/get', { name: 'conformance-unknown' }),
        -32602,
      )
      for (const prompt of trial.some('prompts').slice(0, 4)) {
        const { name } = prompt
        const all = (prompt.arguments ?? []) as { name: string; required?: boolean }[]
        if (all.some((one) => one.required))
          trial.refused('R-205', await trial.ask('prompts/get', { name, arguments: {} }), -32602)
        const [argument] = all
        if (argument)
          trial.refused(
            'R-208',
            await trial.ask('prompts/get', { name, arguments: { [argument.name]: 5 } }),
            -32602,
          )
        const reply = await trial.ask('prompts/get', {
          name,
          arguments: await argumentsOf(trial, prompt, true),
        })
        if (reply.result && all.some((one) => !one.required))
          trial.gave(
            'R-206',
            await trial.ask('prompts/get', {
              name,
              arguments: await argumentsOf(trial, prompt, false),
            }),
          )
      }
    },
  ],
  // Pagination
  [
    'R-213 R-143 R-216 R-218',
    'DE',
    async (trial) => {
      for (const [method] of lists.filter(([one]) => trial.caps[one.split('/')[0] as string])) {
        const id = method === 'resources/templates/list' ? 'R-216 R-143' : 'R-216'
        trial.refused(id, await trial.ask(method, { cursor: 'conformance-unknown' }), -32602)
        if (trial.era === 'E')
          trial.refused('R-218', await trial.ask(method, { cursor: '' }), -32602)
        const cursor = trial.cursors[method]
        if (cursor !== undefined) trial.gave('R-213', await trial.ask(method, { cursor }))
      }
    },
  ],
  // Tools: only if the user allows calls.
  [
    'R-364',
    'DE',
    async (trial) => {
      need(trial, 'tools')
      if (!trial.mayCall) skip('calls of tools are not allowed')
      trial.refused(
        'R-364',
        await trial.ask('tools/call', { name: 'conformance-unknown', arguments: {} }),
        -32602,
      )
    },
  ],
]
