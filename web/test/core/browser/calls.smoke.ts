// Prompts, tools and completions run in the window, not in the Worker; in real browsers, under the policy that
// web/docs/package.md asks for.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'

const policy = {
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'",
}

const page = `
import { elicit, NotFoundError, start, ToolError } from '/pagemcp/index.js'
window.mcp = await start({ name: 'test', capabilities: { logging: true } })
window.errors = []
mcp.on('error', (error) => errors.push(String(error)))

const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
mcp.tool({ name: 'count', inputSchema }, async ({ n }, request) => {
  for (let i = 1; i <= n; i++) {
    request.progress(i, n)
    request.log('info', document.title) // only a window has one
    await new Promise((resolve) => setTimeout(resolve))
  }
  return 'counted:' + n
})
mcp.tool({ name: 'fail' }, () => { throw new ToolError('as told') })
mcp.tool({ name: 'ask' }, (_, { need, client }) => {
  const { who } = need({ who: elicit('Who?', { type: 'object', properties: { name: { type: 'string' } } }) })
  return who.content.name + ' at ' + client.principal
})
window.running = 0
window.aborted = false
mcp.tool({ name: 'endless' }, (_, { signal }) => new Promise(() => {
  running++
  signal.addEventListener('abort', () => { aborted = true })
}))
mcp.prompt({ name: 'greet', arguments: [{ name: 'who' }], complete: { who: ['Ada', 'Alan'] } },
  ({ who }) => 'Greet ' + who + ' on ' + document.title)
mcp.mount({
  list: async () => ({ resources: [] }),
  read: async (uri) => { throw new NotFoundError(uri) },
  tools: async () => [{ name: 'own' }],
  callTool: async (name, args) => name + ' ' + args.x,
  complete: async (ref, { value }) => [ref.uri, value],
}, 'my+')

const port = mcp.port()
window.got = []
const waiting = new Map()
port.onmessage = ({ data }) => {
  if ('method' in data) got.push(data)
  else waiting.get(data.id)(data.result ?? data.error)
}
let last = 0
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}
window.ask = (method, params, meta) => new Promise((resolve) => {
  waiting.set(++last, resolve)
  port.postMessage({ jsonrpc: '2.0', id: last, method, params: { ...params, _meta: { ..._meta, ...meta } } })
})
window.call = (name, args, more) => ask('tools/call', { name, arguments: args, ...more })
window.cancel = () => {
  port.postMessage({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: last } })
}
window.ready = true`

inBrowsers('calls reach the window from the engine', async ({ open }) => {
  const site = await servePages({ '/page.html': page }, policy)
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    const text = async (expression: string) => {
      const result = (await tab.evaluate(expression)) as {
        isError?: boolean
        content: { text: string }[]
      }
      return [result.isError ?? false, result.content?.[0]?.text]
    }
    const token = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'info' }
    const counted = `ask('tools/call', { name: 'count', arguments: { n: 2 } }, ${JSON.stringify(token)})`
    assert.deepEqual(await text(counted), [false, 'counted:2'])
    const heard = await tab.evaluate('got.map(({ params }) => params.progress ?? params.data)')
    assert.deepEqual(heard, [1, '/page.html', 2, '/page.html'])
    const [refused, why] = await text(`call('count', { n: 'x' })`)
    assert.ok(refused)
    assert.match(String(why), /\/n: /)
    assert.deepEqual(await text(`call('fail')`), [true, 'as told'])
    assert.deepEqual(await text(`call('my.own', { x: 1 })`), [false, 'own 1'])
    const asked = `call('ask').then(({ requestState }) => call('ask', {}, {
        requestState, inputResponses: { who: { action: 'accept', content: { name: 'Ada' } } } }))`
    assert.deepEqual(await text(asked), [false, 'Ada at page'])

    const greet = `ask('prompts/get', { name: 'greet', arguments: { who: 'Ada' } })`
    const messages = await tab.evaluate(`${greet}.then(({ messages }) => messages[0].content.text)`)
    assert.equal(messages, 'Greet Ada on /page.html')
    const complete = (ref: object, name: string, value: string) => {
      const params = JSON.stringify({ ref, argument: { name, value } })
      return tab.evaluate(
        `ask('completion/complete', ${params}).then(({ completion }) => completion.values)`,
      )
    }
    const prompt = { type: 'ref/prompt', name: 'greet' }
    assert.deepEqual(await complete(prompt, 'who', 'l'), ['Alan'])
    const uri = 'my+notes://{x}'
    const found = await complete({ type: 'ref/resource', uri }, 'x', 'y')
    assert.deepEqual(found, ['notes://{x}', 'y'])

    await tab.evaluate(`void call('endless')`)
    await tab.waitForFunction('running === 1')
    await tab.evaluate('cancel()')
    await tab.waitForFunction('aborted')
    assert.deepEqual(await tab.evaluate('errors'), [])
  } finally {
    await site.close()
  }
})
