// The report of a conformance run: requirements.json, the exports, and the limits of a run.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  badge,
  badgeMarkdown,
  json,
  junit,
  type Requirements,
} from '../../../playground/conformance/report.ts'
import { checkedIds, type Report } from '../../../playground/conformance/run.ts'
import type { Dialer, TransportEvents } from '../../../playground/connections/transport.ts'
import { check, dialerOf, goodServer } from './server.ts'

const requirements = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../../../playground/conformance/requirements.json'),
    'utf8',
  ),
) as Requirements

test('requirements.json has each of the 380 requirements once: checked, or with the reason why not', () => {
  const others = Object.values(requirements.others).flatMap((ids) => ids.split(' '))
  assert.deepEqual(Object.keys(requirements.checked), checkedIds)
  const all = [...checkedIds, ...others].sort()
  assert.deepEqual(
    all,
    Array.from({ length: 380 }, (_, i) => `R-${String(i + 1).padStart(3, '0')}`),
  )
  assert.ok(checkedIds.length >= 100, `${checkedIds.length} are checked`)
  for (const [id, [text, level, page]] of Object.entries(requirements.checked)) {
    assert.ok(text.length > 9 && text.length <= 130, id)
    assert.match(level, /^(MUST|SHOULD|MAY)( NOT)?$/, id)
    assert.match(page, /^20\d\d-\d\d-\d\d\/[\w/-]+$/, id)
  }
})

const report: Report = {
  server: 'https://a.example/?a=1&b="<2>"\u0001\ud800',
  started: 0,
  took: 1500,
  stopped: '',
  outcomes: [
    { id: 'R-001', state: 'passed', reason: '', evidence: [] },
    { id: 'R-002', state: 'failed', reason: 'received <b>]]>', evidence: [] },
    { id: 'R-003', state: 'none', reason: 'no lists', evidence: [] },
  ],
}

test('JUnit is XML with one case for each requirement, whatever the server sent', () => {
  const xml = junit(report, requirements)
  assert.match(xml, /tests="3" failures="1" skipped="1" time="1.5" timestamp="1970/)
  assert.match(xml, /a=1&amp;b=&quot;&lt;2&gt;&quot;\ufffd\ufffd"/)
  assert.match(xml, /name="R-002 [^"]+"><failure message="received &lt;b&gt;]]&gt;"\/>/)
  assert.match(xml, /<skipped message="no lists"\/>/)
})

test('JSON has state, reason and link of each requirement', () => {
  const {
    passed,
    failed,
    notApplicable,
    requirements: all,
  } = JSON.parse(json(report, requirements))
  assert.deepEqual([passed, failed, notApplicable], [1, 1, 1])
  assert.match(all[1].specification, /^https:\/\/modelcontextprotocol\.io\/specification\/20/)
  assert.equal(all[1].reason, 'received <b>]]>')
})

test('the badge says how many hold, and never hides a failure or an incomplete run', () => {
  assert.match(badge(report), /aria-label="MCP conformance: 1\/2".*#b3261e/s)
  const good = { ...report, outcomes: report.outcomes.filter(({ state }) => state === 'passed') }
  assert.match(badge(good), /1\/1.*#1f6f34/s)
  assert.match(badge({ ...good, stopped: 'Stopped.' }), /incomplete/)
  assert.equal(badgeMarkdown(good), '![MCP conformance: 1/1](mcp-conformance.svg)')
})

/** A server that never answers. */
const silent = (dialed: TransportEvents[] = []): Dialer => ({
  title: 'silent',
  kind: 'in-page',
  url: '',
  framing: 'port',
  async dial(events) {
    dialed.push(events)
    return { send() {}, close: () => dialed.splice(dialed.indexOf(events), 1) }
  },
})

test('a server that never answers ends the run, passes nothing, and leaves no connection', async () => {
  const open: TransportEvents[] = []
  const { outcomes, stopped } = await check(silent(open), { timeout: 5 })
  assert.match(stopped, /neither/)
  assert.ok(outcomes.every(({ state }) => state === 'none'))
  assert.equal(open.length, 0)
})

test('a run can be stopped, and closes its connections', async () => {
  const open: TransportEvents[] = []
  const stop = new AbortController()
  const running = check(silent(open), { signal: stop.signal, timeout: 600_000 })
  while (open.length === 0) await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  const { stopped, outcomes } = await running
  assert.equal(stopped, 'Stopped.')
  assert.ok(outcomes.every(({ state }) => state === 'none'))
  assert.equal(open.length, 0)
})

test('a server that floods the client ends the run', async () => {
  const flood = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: 'x'.repeat(20_000_000) })
  const dialer: Dialer = {
    ...silent(),
    async dial(events) {
      return {
        send(text) {
          events.received(flood, 'port')
          const { id } = JSON.parse(text)
          if (id !== undefined)
            events.received(JSON.stringify({ jsonrpc: '2.0', id, result: {} }), 'port')
        },
        close() {},
      }
    },
  }
  const { stopped } = await check(dialer)
  assert.match(stopped, /limit/)
})

test('no tool is called, and nothing is changed, unless the user allows it', async () => {
  const mcp = await goodServer()
  try {
    for (const mayCall of [false, true]) {
      const sent: string[] = []
      const good = dialerOf(mcp)
      const watched: Dialer = {
        ...good,
        async dial(events) {
          const transport = await good.dial(events)
          return {
            ...transport,
            close: () => transport.close(),
            send(text) {
              sent.push(text)
              transport.send(text)
            },
          }
        },
      }
      await check(watched, { mayCall })
      const calls = sent.filter((text) => text.includes('tools/call'))
      assert.equal(calls.length > 0, mayCall)
      assert.ok(calls.every((text) => text.includes('"conformance-unknown"')))
      assert.ok(sent.length < 1000, `${sent.length} messages`)
    }
  } finally {
    mcp.close()
  }
})
