// Conformance of the gateway, over HTTP and over a WebSocket: it fails nothing.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { runSet } from '../../../playground/conformance/run-set.ts'
import { http } from '../../../playground/connections/http.ts'
import { webSocketDialer } from '../../../playground/connections/websocket.ts'
import { Store } from '../../../playground/messages/store.ts'
import { revisions } from '../../../playground/protocol/revisions.ts'
import { program } from '../../e2e/gateway.ts'
import { check } from './server.ts'

test('the gateway fails nothing, over HTTP and over a WebSocket', async () => {
  const state = await mkdtemp(join(tmpdir(), 'pagemcp-conformance-'))
  const args = ['serve', '--json', '--no-token', '--state', state, '--mcp', '127.0.0.1:0']
  const gateway = spawn(program, [...args, '--allow-origin', 'http://page.example'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  try {
    const [line] = (await once(createInterface({ input: gateway.stdout }), 'line')) as [string]
    const { mcp } = JSON.parse(line) as { mcp: string }
    for (const dialer of [http(mcp), webSocketDialer(mcp.replace(/^http(.*)mcp$/, 'ws$1ws'))]) {
      const { outcomes, stopped } = await check(dialer)
      assert.equal(stopped, '', dialer.kind)
      const failed = outcomes.filter((one) => one.state === 'failed')
      assert.deepEqual(
        failed.map(({ id, reason }) => `${id} ${reason}`),
        [],
        dialer.kind,
      )
      const passed = outcomes.filter((one) => one.state === 'passed').length
      assert.ok(passed >= 100, `${dialer.kind}: ${passed} passed`)
      for (const revision of revisions) {
        const store = new Store((run) => queueMicrotask(run))
        const { signal } = new AbortController()
        const set = await runSet(dialer, revision, { store, signal })
        const all = set.results.map(({ id, verdict, response }) => `${id} ${verdict} ${response}`)
        assert.deepEqual(
          all.filter((line) => / failed /.test(line)),
          [],
          `${dialer.kind} ${revision} ${set.stopped}`,
        )
        assert.ok(all.length >= 20, `${dialer.kind} ${revision}: ${set.stopped}`)
      }
    }
  } finally {
    gateway.kill('SIGTERM')
    await once(gateway, 'exit')
    await rm(state, { recursive: true, force: true })
  }
})
