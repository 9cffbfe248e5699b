/** Checks of JSON-RPC: ids, notifications, batches, and errors of malformed messages. */

import type { Params } from '../../protocol/revisions.ts'
import { isObject } from '../peer.ts'
import { type Check, skip } from '../trial.ts'
import { need, offers, raw, text, unknownUri } from './requests.ts'

export const jsonRpc: readonly Check[] = [
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
]
