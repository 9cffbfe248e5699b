// Two registrations of one name with the engine in a Worker, also after it was restarted; test/core/registry.test.ts has
// the same for the window.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'

/** The Worker, with a way to end its Go program as an exhausted memory does. */
const worker = `
import '/pagemcp/worker.js'
let last
let Watched // what wasm_exec.js defines at the start of the engine
Object.defineProperty(globalThis, 'Go', {
  get: () => Watched,
  set(Go) {
    Watched = class extends Go {
      constructor() { super(); last = this }
    }
  },
})
const own = self.onmessage
self.onmessage = (event) => {
  if (event.data !== 'kill') return own(event)
  last.importObject.gojs['runtime.wasmExit'](0)
  event.ports[0].postMessage('done')
}`

const page = `
import { start } from '/pagemcp/index.js'
window.Worker = class extends Worker {
  constructor(...args) { super(...args); window.worker = this }
}
const mcp = await start({ name: 'test', urls: { worker: '/worker.html.js' }, extensions: { 'acme/x': {} } })
mcp.on('error', () => {}) // the restart
const port = mcp.port()
const waiting = new Map()
port.onmessage = ({ data }) => waiting.get(data.id)?.(data)
let last = 0
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
}
const ask = (method, params) => new Promise((resolve) => {
  waiting.set(++last, resolve)
  port.postMessage({ jsonrpc: '2.0', id: last, method, params: { ...params, _meta } })
})
const answer = async (method, params) => {
  for (;;) {
    const { result, error } = await ask(method, params)
    if (error?.data?.reason === 'restarted') continue
    if (error) return 'error ' + error.code
    const [first] = result.contents ?? result.content ?? result.messages ?? [result]
    return first.text ?? first.content?.text
  }
}
const kinds = {
  value: [(which) => mcp.resource({ uri: 'a:1', name: which }, which), ['resources/read', { uri: 'a:1' }]],
  provider: [(which) => mcp.resource({ uri: 'a:2', name: which }, () => which), ['resources/read', { uri: 'a:2' }]],
  resources: [(which) => mcp.resources([[{ uri: 'a:3', name: which }, () => which]]), ['resources/read', { uri: 'a:3' }]],
  template: [(which) => mcp.template({ uriTemplate: 'b:{id}', name: which }, () => which), ['resources/read', { uri: 'b:1' }]],
  tool: [(which) => mcp.tool({ name: 'buy', description: which }, () => which), ['tools/call', { name: 'buy' }]],
  prompt: [(which) => mcp.prompt({ name: 'ask', description: which }, () => which), ['prompts/get', { name: 'ask' }]],
  method: [(which) => mcp.method('acme/x', () => ({ text: which })), ['acme/x', {}]],
}
const kill = async () => {
  const { port1, port2 } = new MessageChannel()
  const done = new Promise((resolve) => { port1.onmessage = resolve })
  worker.postMessage('kill', [port2])
  await done
}
window.run = async () => {
  const story = {}
  const removes = Object.fromEntries(Object.entries(kinds).map(([kind, [add]]) => [kind, ['a', 'b', 'c'].map(add)]))
  const look = async () => {
    for (const [kind, [, request]] of Object.entries(kinds)) (story[kind] ??= []).push(await answer(...request))
  }
  const remove = (i) => { for (const all of Object.values(removes)) all[i]() }
  await look()
  remove(1) // one that is not served
  await look()
  remove(2)
  await look()
  await kill()
  await look()
  remove(0)
  await look()
  return story
}
window.ready = true`

inBrowsers('a Worker serves the latest registration that is left', async ({ open }) => {
  const site = await servePages({ '/page.html': page, '/worker.html': worker })
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    const story = (await tab.evaluate('run()')) as { [kind: string]: string[] }
    for (const [kind, answers] of Object.entries(story)) {
      const none = kind === 'method' ? 'error -32601' : 'error -32602'
      assert.deepEqual(answers, ['c', 'c', 'a', 'a', none], kind)
    }
  } finally {
    await site.close()
  }
})
