// The port that a gateway is started on is taken: it says what to do and ends, and leaves its state as it was.
// gateway.md §3, "gateway on another port".

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownPorts, program, startGateway } from '../e2e/gateway.ts'

test('a gateway whose port is taken ends with status 1, one line and the address of its entry', async () => {
  const state = await mkdtemp(join(tmpdir(), 'pagemcp-'))
  const other = createServer()
  try {
    const first = await startGateway({ state, command: 'serve', args: await ownPorts('serve') })
    await first.close()
    other.listen({ host: '127.0.0.1', port: Number(new URL(first.mcp).port) })
    await once(other, 'listening')
    const address = new URL(first.mcp).host
    const child = spawn(program, ['serve', '--state', state, `--mcp=${address}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 20_000, // ms
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (text) => {
      out += text
    })
    child.stderr.on('data', (text) => {
      err += text
    })
    const [status] = await once(child, 'close')
    assert.equal(status, 1)
    assert.equal(out, '')
    assert.match(err, /^pagemcp: [^\n]+\nMore: \S+#another-program-listens-on-\n$/)
    assert.ok(err.includes(address) && err.includes('choose another port with --mcp'), err)
    // The same gateway, on another port: its token is the same.
    const second = await startGateway({ state, command: 'serve' })
    assert.equal(second.token, first.token)
    assert.equal((await readFile(second.tokenFile, 'utf8')).trim(), first.token)
    await second.close()
  } finally {
    other.close()
    await rm(state, { recursive: true, force: true })
  }
})
