// The set of malformed messages: a good server passes it over each transport, a faulty one fails, and two are compared.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { malformedSet } from '../../../playground/conformance/malformed.ts'
import { runSet, type SetOptions } from '../../../playground/conformance/run-set.ts'
import { linesOf, setCsv, setJson } from '../../../playground/conformance/set-files.ts'
import type { Dialer, TransportEvents } from '../../../playground/connections/transport.ts'
import { Store } from '../../../playground/messages/store.ts'
import { expectedCodes } from '../../../playground/protocol/expected.ts'
import { type Revision, revisions } from '../../../playground/protocol/revisions.ts'
import type { PageMcp } from '../../../src/index.ts'
import { dialerOf, goodServer } from './server.ts'

const read = (name: string) =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../playground/conformance', name), 'utf8'),
  )
const names = read('malformed.json') as { [id: string]: { [language: string]: string } }

let mcp: PageMcp
before(async () => {
  mcp = await goodServer()
})
after(() => mcp?.close())

const run = (dialer: Dialer, revision: Revision, options: Partial<SetOptions> = {}) =>
  runSet(dialer, revision, {
    store: new Store((later) => queueMicrotask(later)),
    signal: new AbortController().signal,
    ...options,
  })

/** A server that changes what a good one is sent; undefined: nothing is sent. */
function changed(dialer: Dialer, change: (text: string) => string | undefined): Dialer {
  return {
    ...dialer,
    title: 'Faulty server',
    async dial(events) {
      const transport = await dialer.dial(events)
      return {
        close: () => transport.close(),
        send(text) {
          const other = change(text)
          if (other !== undefined) transport.send(other)
        },
      }
    },
  }
}

test('the set expects what the verdict on a single message expects', () => {
  for (const revision of revisions)
    for (const { id, text, codes, needs, headers } of malformedSet(revision, 'ws')) {
      // What depends on the server is known to the set alone.
      if (headers || needs || id === 'unknownVersion') continue
      let message: unknown
      try {
        message = JSON.parse(text)
      } catch {
        // not JSON
      }
      const expected = expectedCodes(message, revision) ?? []
      assert.ok(
        codes.length === 0 ? expected.length === 0 : codes.every((code) => expected.includes(code)),
        `${revision} ${id}: ${codes} and ${expected}`,
      )
    }
})

test('a valid request, a notification and a response have no expected error', () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  for (const message of [
    { jsonrpc: '2.0', id: 1, method: 'resources/list', params: { _meta } },
    { jsonrpc: '2.0', method: 'notifications/unknown' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ])
    assert.equal(expectedCodes(message, '2026-07-28'), undefined)
  assert.deepEqual(expectedCodes({ jsonrpc: '2.0', id: 1, method: 'a/b' }, '2026-07-28'), [-32601])
})

for (const revision of revisions)
  test(`${revision}: a good server passes the whole set`, async () => {
    const { results, stopped } = await run(dialerOf(mcp), revision)
    assert.equal(stopped, '')
    assert.deepEqual(
      results
        .filter(({ verdict }) => verdict !== 'passed')
        .map(({ id, response, reason }) => `${id} ${response}${reason}`),
      [],
    )
    assert.ok(results.every(({ row }) => row >= 0))
  })

test('a response that comes after that to the next request belongs to its own message', async () => {
  const dialer = dialerOf(mcp)
  type Received = Parameters<TransportEvents['received']>
  let held: Received | undefined
  const reordering: Dialer = {
    ...dialer,
    dial: (events) =>
      dialer.dial({
        ...events,
        received(...message: Received) {
          if (held === undefined && message[0].includes('"promptName"')) {
            held = message
            return
          }
          events.received(...message)
          if (held !== undefined && !isGiven)
            setImmediate(() => events.received(...(held as Received)))
          isGiven = held !== undefined
        },
      }),
  }
  let isGiven = false
  const { results } = await run(reordering, '2026-07-28')
  assert.ok(held)
  assert.deepEqual(
    results.filter(({ verdict }) => verdict !== 'passed').map(({ id }) => id),
    [],
  )
})

test('a server that repairs messages, and answers what needs no response, fails these, and is told apart', async () => {
  const repairing = changed(dialerOf(mcp), (text) =>
    text.includes('"1.0"')
      ? text.replace('"1.0"', '"2.0"')
      : text.includes('"stray"')
        ? '{"jsonrpc":"2.0","id":"x","method":"ping","params":{"_meta":{}}}'
        : text,
  )
  const runs = [
    await run(dialerOf(mcp), '2026-07-28'),
    await run(repairing, '2026-07-28', { timeout: 1000 }),
  ]
  const failed = runs[1]?.results.filter(({ verdict }) => verdict === 'failed')
  assert.deepEqual(
    failed?.map(({ id }) => id),
    ['oldJsonrpc', 'strayResult'],
  )
  const different = linesOf(runs).filter(({ differs }) => differs)
  assert.deepEqual(
    different.map(({ one }) => one.id),
    ['oldJsonrpc', 'strayResult'],
  )

  const [, second] = JSON.parse(setJson(runs, (id) => names[id]?.en ?? ''))
  const old = second.messages.find(({ id }: { id: string }) => id === 'oldJsonrpc')
  assert.deepEqual(
    [old.name, old.requirement, old.expected, old.received, old.verdict],
    ['jsonrpc is "1.0"', 'R-001', '-32600', 'result', 'failed'],
  )
  assert.match(old.sent, /"jsonrpc":"1.0"/)
  const lines = setCsv(runs, (id) => names[id]?.en ?? '').split('\r\n')
  assert.match(
    lines[0] ?? '',
    /^id,name,requirement,sent,expected,received: Good server,verdict: Good server,received: Faulty server,verdict: Faulty server$/,
  )
  const line = lines.find((one) => one.startsWith('oldJsonrpc,')) ?? ''
  assert.match(
    line,
    /^oldJsonrpc,"jsonrpc is ""1.0""",R-001,"\{.*\}",-32600,-32600,passed,result,failed$/,
  )
  assert.equal(lines.length, (runs[0]?.results.length ?? 0) + 2)
})

test('a server that answers nothing after the handshake ends the run, and one of another revision is not tried', async () => {
  let sent = 0
  const silent = changed(dialerOf(mcp), (text) => (sent++ === 0 ? text : undefined))
  const gone = await run(silent, '2026-07-28', { timeout: 20 })
  assert.match(gone.stopped, /does not respond/)
  assert.ok(gone.results.every(({ verdict }) => verdict === 'failed'))
  assert.ok(sent < 20, `${sent} messages`)

  const other = changed(dialerOf(mcp), (text) => text.replace('2025-06-18', '2025-11-25'))
  const refused = await run(other, '2025-06-18')
  assert.match(refused.stopped, /does not support 2025-06-18/)
  assert.deepEqual(refused.results, [])
})

test('a message that makes the server close the connection fails, and the next one is sent over another', async () => {
  const good = dialerOf(mcp)
  const closing: Dialer = {
    ...good,
    async dial(events) {
      const transport = await good.dial(events)
      return {
        close: () => transport.close(),
        send(text) {
          if (text !== 'null') return transport.send(text)
          events.closed('bad message')
          transport.close()
        },
      }
    },
  }
  const { results, stopped } = await run(closing, '2025-11-25')
  assert.equal(stopped, '')
  const failed = results.filter(({ verdict }) => verdict !== 'passed')
  assert.deepEqual(
    failed.map(({ id, reason }) => `${id}: ${reason}`),
    ['null: The connection closed. bad message'],
  )
})

test('a run can be stopped', async () => {
  const stop = new AbortController()
  const { stopped, results } = await run(dialerOf(mcp), '2026-07-28', {
    signal: stop.signal,
    progressed: () => stop.abort(),
  })
  assert.equal(stopped, 'Stopped.')
  assert.equal(results.length, 1)
})
