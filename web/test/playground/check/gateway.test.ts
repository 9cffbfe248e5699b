// The gateway, over HTTP and over a WebSocket; a report is XML, whatever the server sent.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { junit, type Requirements } from '../../../playground/check/report.ts'
import { idsOf, type Report } from '../../../playground/check/run.ts'
import { http } from '../../../playground/connections/http.ts'
import { webSocketDialer } from '../../../playground/connections/websocket.ts'
import { startGateway } from '../../e2e/gateway.ts'
import { check, checks } from './server.ts'

/** The gateway serves clients that leave out the handshake, and says so (docs/gateway.md). */
const served = ['R-017', 'R-045']

test('the gateway fails nothing else, over HTTP and over a WebSocket', async () => {
  const args = ['--no-token', '--allow-origin', 'http://page.example']
  const gateway = await startGateway({ command: 'serve', args })
  try {
    const { mcp } = gateway
    for (const dialer of [http(mcp), webSocketDialer(mcp.replace(/^http(.*)mcp$/, 'ws$1ws'))]) {
      const { outcomes, stopped } = await check(dialer)
      assert.equal(stopped, '', dialer.kind)
      assert.deepEqual(
        outcomes.filter(({ id, state }) => state === 'failed' && !served.includes(id)),
        [],
        dialer.kind,
      )
      const passed = outcomes.filter((one) => one.state === 'passed').length
      assert.ok(passed >= 90, `${dialer.kind}: ${passed} passed`)
    }
  } finally {
    await gateway.close()
  }
})

const requirements = JSON.parse(
  readFileSync(new URL('../../../playground/check/requirements.json', import.meta.url), 'utf8'),
) as Requirements

test('each requirement that is checked has a text', () => {
  assert.deepEqual(idsOf(checks), Object.keys(requirements.checked).sort())
})

test('JUnit has one case for each requirement, and no character that XML forbids', () => {
  const evidence = [
    { revision: '2026-07-28', sent: '', wanted: '{"a":"<&"}', received: '"\u0000\ud800]]>' },
  ] as const
  const report: Report = {
    server: '<&">\u0001',
    started: 0,
    took: 1,
    stopped: '',
    outcomes: [
      { id: 'R-001', state: 'failed', reason: '', evidence },
      { id: 'R-002', state: 'none', reason: 'a & b', evidence: [] },
    ],
  }
  const text = junit(report, requirements)
  assert.equal(text.match(/<testcase /g)?.length, 2)
  assert.equal(text.match(/<failure /g)?.length, 1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML forbids
  assert.doesNotMatch(text, /[\u0000-\u0008\ud800-\udfff]|&(?!(amp|lt|gt|quot);)/u)
})
