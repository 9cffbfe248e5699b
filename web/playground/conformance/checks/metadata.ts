/** Checks of what each request declares: version, capabilities, log level, progress, and of `server/discover`. */

import type { Params } from '../../protocol/revisions.ts'
import { isObject, type Peer, revisionOf } from '../peer.ts'
import { fits, lists } from '../rules/seen.ts'
import { type Check, skip } from '../trial.ts'
import { abilities, aList, end, envelope, level, need, raw, text, version } from './requests.ts'

export const metadata: readonly Check[] = [
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
]
