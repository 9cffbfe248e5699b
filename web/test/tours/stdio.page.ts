/**
 * `pagemcp stdio` line by line, as a program that starts it sees it: nothing but messages on standard output, no
 * question in the modern era, and an end when the input ends.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { type Subject, startSubject } from '../conformance/subject.ts'
import { record } from '../harness/record.ts'
import { timeout as callTimeout } from './guide.ts'

const timeout = 60_000 // ms

let subject: Subject
before(
  async () => {
    subject = await startSubject('conformance')
  },
  { timeout: 300_000 },
)
after(() => subject?.close())

interface Message {
  id?: number | string
  method?: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they find
  result?: any
  error?: { code: number }
}

/** A process whose standard output holds messages alone: any other line fails the test. */
function startStdio(name: string) {
  const { command, args } = subject.gateway.stdio
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const talk = record(name)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    send(message: object) {
      talk.client(message)
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },
    /** The message of the next line. */
    async next(): Promise<Message> {
      const late = AbortSignal.timeout(callTimeout)
      const tooLate = new Promise<never>((_, reject) => {
        late.addEventListener('abort', () => reject(new Error('no line came')))
      })
      const line = await Promise.race([lines.next(), tooLate])
      assert.ok(!line.done, 'standard output has ended')
      talk.server(line.value)
      return JSON.parse(line.value)
    },
    /** Ends the input; the process has to exit with 0. */
    async end(): Promise<void> {
      const gone = once(child, 'exit', { signal: AbortSignal.timeout(callTimeout) })
      child.stdin.end()
      const [code] = await gone
      assert.equal(code, 0)
    },
  }
}

const handshake = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'lines', version: '1.0.0' } },
})
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const modern = (id: number, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    },
    ...params,
  },
})

//
test('an array is no message, in no revision', { timeout }, async () => {
  const process = startStdio('arrays over stdio')
  process.send([{ jsonrpc: '2.0', id: 1, method: 'ping' }])
  const early = await process.next()
  assert.equal(early.error?.code, -32600)
  process.send(handshake('2025-03-26'))
  assert.equal((await process.next()).result.protocolVersion, '2025-03-26')
  process.send(initialized)
  process.send([
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 2, method: 'resources/list' },
  ])
  assert.equal((await process.next()).error?.code, -32600)
  await process.end()
})

// R-051 R-331 R-335.
test('in the modern era nothing is asked on standard output', { timeout }, async () => {
  const process = startStdio('a question over stdio')
  const name = 'conformance__test_input_required_result_elicitation'
  process.send(modern(1, 'tools/call', { name }))
  const asked = await process.next()
  assert.equal(asked.id, 1)
  assert.equal(asked.result.resultType, 'input_required')
  const inputResponses = { user_name: { action: 'accept', content: { name: 'Ada' } } }
  process.send(modern(2, 'tools/call', { name, inputResponses }))
  const answered = await process.next()
  assert.equal(answered.result.content[0].text, 'Hello, Ada!')
  await process.end()
})

//
test('it ends when its input ends, and what ran in the page ends too', { timeout }, async () => {
  const process = startStdio('the end of stdio')
  const params = { name: 'conformance__test_slow', _meta: { progressToken: 1 } }
  process.send(handshake('2025-11-25'))
  await process.next()
  process.send(initialized)
  process.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  assert.equal((await process.next()).method, 'notifications/progress')
  await process.end()
  await subject.page.waitForFunction(() => document.documentElement.dataset.slow === 'cancelled', {
    timeout: callTimeout,
    polling: 100,
  })
})
