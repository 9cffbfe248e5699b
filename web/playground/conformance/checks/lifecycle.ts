/** Checks of the handshake of older revisions: versions, capabilities, and what may come before. */

import type { Params } from '../../protocol/revisions.ts'
import { revisionOf } from '../peer.ts'
import { fits, lists } from '../rules/seen.ts'
import { type Check, skip } from '../trial.ts'
import { aList, end } from './requests.ts'

export const lifecycle: readonly Check[] = [
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
]
