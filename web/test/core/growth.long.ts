// What must not grow, and what must not block. performance.md §10 and §11.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Listener, type Program, run } from '../../src/wasm.ts'
import { answers } from '../../src/wasm-numbers.ts'
import { envelope, type Message } from '../harness/client.ts'
import { engineModule, goRuntime, options } from './load.ts'
import { testPage } from './page.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('100,000 requests leave nothing behind', async (t) => {
  const page = await testPage(t)
  page.mcp.resources(
    Array.from({ length: 1000 }, (_, i) => [{ uri: `a:${i}`, name: `${i}` }, () => `text ${i}`]),
  )
  // A port that hands over at once, so that nothing but the engine's own is measured.
  let got = 0
  const port = {
    onmessage: (_: { data: unknown }) => {},
    postMessage: () => {
      got++
    },
  }
  page.mcp.accept(port, { principal: 'page' })
  const send = (data: Message) => port.onmessage({ data })
  send({
    jsonrpc: '2.0',
    id: 'i',
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    },
  })
  const round = async (n: number) => {
    for (let id = 0; id < n; id++) {
      const method = ['ping', 'resources/list', 'resources/read', 'resources/read', 'no/such'][
        id % 5
      ]
      const params = method === 'resources/read' ? { uri: `a:${id % 1200}` } : {}
      send({ jsonrpc: '2.0', id, method, params: id % 2 ? params : { ...params, _meta: envelope } })
      if (id % 100 === 99) await turn() // at most 64 reads may wait for their providers
    }
  }
  let rounds = 0
  const settled = async () => {
    const before = page.memory()
    await round(40_000)
    rounds++
    return page.memory() === before
  }
  while (!((await settled()) && (await settled())) && rounds < 12) {} // Go's collector finds its pace
  // V8 compiles code anew now and then, once; what a request leaves behind is there after each 100,000.
  let grown = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && grown >= 512 << 10; tries++) {
    gc()
    const before = { heap: process.memoryUsage().heapUsed, wasm: page.memory(), got }
    await round(100_000)
    gc()
    assert.equal(got, before.got + 100_000)
    assert.equal(page.memory(), before.wasm)
    grown = process.memoryUsage().heapUsed - before.heap
  }
  assert.ok(grown < 512 << 10, `the heap has grown by ${grown} bytes`)
})

test('wasm memory is flat over 100 reads of 10 MB, text and blob', async (t) => {
  const page = await testPage(t)
  let n = 0
  page.mcp.resource('big:text', { name: 'T' }, () => String(n++).padEnd(10_000_000, 'x'))
  page.mcp.resource('big:blob', { name: 'B' }, () => new Uint8Array(10_000_000).fill(n++))
  const port = {
    onmessage: (_: { data: unknown }) => {},
    postMessage: (message: { result: { contents: { text?: string; blob?: string }[] } }) => {
      const [item] = message.result.contents
      sizes.add(item?.text?.length ?? item?.blob?.length ?? 0)
      answered()
    },
  }
  let answered = () => {}
  const sizes = new Set<number>()
  page.mcp.accept(port as never, { principal: 'page' })
  const read = (uri: string, id: number) =>
    new Promise<void>((resolve) => {
      answered = resolve
      port.onmessage({
        data: { jsonrpc: '2.0', id, method: 'resources/read', params: { uri, _meta: envelope } },
      })
    })
  await read('big:text', 0)
  const before = page.memory()
  for (let i = 1; i <= 80; i++) await read('big:text', i)
  for (let i = 1; i <= 20; i++) await read('big:blob', -i)
  assert.deepEqual([...sizes], [10_000_000, 13_333_336])
  assert.equal(page.memory(), before)
})

test('Documents that JavaScript holds are bounded', async () => {
  const held = new Map<number, number>()
  const program = await bare({
    define: (handle, text) => {
      held.set(handle, text.length)
    },
    release: (handle) => {
      assert.ok(held.delete(handle))
    },
  })
  const { exports } = program
  // Changing the list makes new list pages: 3,000 of 40 KB would be 120 MB.
  const resources = Array.from({ length: 50 }, (_, i) => ({
    uri: `a:${i}`,
    name: 'x'.repeat(100),
    description: 'd'.repeat(700),
  }))
  const params = JSON.stringify({ _meta: envelope })
  exports.register(1, program.write(JSON.stringify({ resources, templates: [] })))
  exports.connect(1, 0, program.write('page'))
  const list = methods.indexOf('resources/list')
  for (let i = 1; i <= 3000; i++) {
    resources[0] = { uri: 'a:0', name: `${i}`, description: '' }
    const text = JSON.stringify({ resources: resources.slice(0, 1), templates: [] })
    assert.equal(exports.register(1, program.write(text)), answers.done)
    const handle = exports.take(1, i, list, program.write(params))
    assert.ok(handle !== undefined && (handle > 0 || handle === answers.sent))
    program.pump()
  }
  const bytes = [...held.values()].reduce((sum, size) => sum + size, 0)
  assert.ok(held.size <= 16384 && bytes <= 16 << 20, `${held.size} Documents, ${bytes} bytes`)
  program.kill()
})

test('no export blocks, whatever it meets: sources that never answer, ports that are gone', async () => {
  const program = await bare({})
  const { exports } = program
  const text = (value: unknown) => program.write(JSON.stringify(value))
  const did = (answer: number | undefined, what: string) => {
    // 0 is what an export answers that was parked.
    assert.ok(answer !== undefined && answer !== 0, `${what} answered ${answer}`)
    return answer
  }
  const resources = [{ uri: 'a:1', name: 'A' }]
  let call = 0
  for (let round = 1; round <= 200; round++) {
    did(exports.register(round, text({ resources, templates: [] })), 'register')
    did(exports.mount(round, 3, program.write('')), 'mount')
    did(exports.connect(round, round % 2, program.write('page')), 'connect')
    for (const [number, method] of methods.entries()) {
      const params = {
        uri: round % 2 ? 'b:1' : 'a:1',
        protocolVersion: '2025-11-25',
        notifications: { resourcesListChanged: true, resourceSubscriptions: ['a:1', 'b:1'] },
      }
      const modern = { ...params, _meta: envelope }
      did(exports.take(round, ++call, number, text(params)), method)
      did(exports.take(round, ++call, number, text(modern)), `${method}, modern`)
      did(exports.cancel(round, call - 1), 'cancel')
    }
    const message = {
      jsonrpc: '2.0',
      id: round,
      method: 'resources/list',
      params: { _meta: envelope },
    }
    did(exports.message(round, text(message)), 'message')
    did(exports.changed(0, program.write('a:1'), 0), 'changed')
    did(exports.changed(round, -1, 0), 'changed, list')
    did(exports.fail(round, call, 2, 1, program.write('a:1')), 'fail')
    did(exports.answerCall(round, 0, text({ resources })), 'answerCall')
    if (round % 3 === 0) program.pump()
    did(exports.unmount(round - 1), 'unmount')
    did(exports.unregister(text({ uris: ['a:1'], templates: [] })), 'unregister')
    did(exports.disconnect(round - 2), 'disconnect')
  }
  program.pump()
  assert.equal(program.exited, false)
  did(exports.stop(), 'stop')
  program.pump()
  assert.equal(program.exited, false)
  program.kill()
})

let methods: string[] = []

/** A program without a shim. */
async function bare(listener: Partial<Listener>): Promise<Program> {
  let calls = 1 << 20
  const nothing = () => {}
  const program = await run(
    await engineModule(),
    await goRuntime(),
    {
      methods: (names) => {
        methods = names
      },
      report: nothing,
      define: nothing,
      release: nothing,
      open: () => ++calls,
      find: () => 0,
      refer: nothing,
      respond: nothing,
      fill: nothing,
      failed: nothing,
      drop: nothing,
      end: nothing,
      refuse: nothing,
      notify: nothing,
      callSource: nothing,
      cancelCall: nothing,
      watch: nothing,
      decided: nothing,
      ...listener,
    },
    nothing,
  )
  assert.equal(program.exports.start(program.write(JSON.stringify(options))), answers.done)
  return program
}
