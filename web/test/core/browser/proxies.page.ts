// Proxies such as those of Vue's `reactive`: accepted as JSON wherever an app hands over plain data.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { servePages } from './built.ts'

const host = `
import { testClient } from '/test/harness/client.ts'
import * as lib from '/pagemcp/index.js'
/** Like Vue 3's reactive: plain objects and arrays become Proxies when they are read, other objects stay. */
const proxies = new WeakMap()
const reactive = (target) => {
  if (typeof target !== 'object' || target === null) return target
  if (!['Object', 'Array'].includes(Object.prototype.toString.call(target).slice(8, -1))) return target
  if (!proxies.has(target)) proxies.set(target, new Proxy(target, {
    get: (object, key, receiver) => reactive(Reflect.get(object, key, receiver)),
    set: (object, key, value, receiver) => Reflect.set(object, key, value, receiver),
    has: (object, key) => Reflect.has(object, key),
    ownKeys: (object) => Reflect.ownKeys(object),
    deleteProperty: (object, key) => Reflect.deleteProperty(object, key),
  }))
  return proxies.get(target)
}
window.run = async () => {
  const icon = { src: 'https://a.example/i.png', sizes: ['8x8'] }
  const mcp = await lib.start(reactive({
    name: 'test', icons: [icon], cache: { ttlMs: 5, scope: 'public' },
  }))
  const errors = []
  mcp.on('error', (error) => errors.push(error.message))
  const about = () => reactive({
    name: 'N', annotations: { audience: ['user'], priority: 1 }, icons: [icon], _meta: { 'a.example/x': { y: [1] } },
    cache: { ttlMs: 7 },
  })
  const value = mcp.resource('a:value', about(), reactive({ items: [{ n: 1 }] }))
  mcp.resource('a:provided', about(), () => reactive({ items: [{ n: 2 }] }))
  mcp.resource('a:later', about(), async () => reactive([{ n: 3 }]))
  mcp.resource('a:several', about(), () => lib.contents(reactive([{ uri: 'a:several/1', text: 'one', _meta: { x: [1] } }])))
  mcp.resources(reactive([[{ uri: 'a:many', name: 'M', _meta: { z: [1] } }, () => 'many']]))
  mcp.resources('b:{id}', reactive({ name: 'T', complete: { id: ['one', 'two'] }, _meta: { x: [1] }, read: () => 'b' }))
  mcp.tool('add', reactive({ inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    outputSchema: { type: 'object' }, annotations: { title: 'A' } }), ({ n }) => reactive({ sum: [n, 1] }))
  mcp.prompt('ask', reactive({ arguments: [{ name: 'x', required: true }], complete: { x: ['yes'] } }),
    () => reactive([{ role: 'user', content: { type: 'text', text: 'hello' } }]))
  mcp.mount(reactive({
    list: async () => reactive({ resources: [{ uri: 's:1', name: 'S', annotations: { audience: ['user'] } }] }),
    read: async (uri) => uri !== 's:1' ? Promise.reject(new lib.NotFoundError(uri)) : reactive([{ uri, text: 's', cache: { ttlMs: 9 }, _meta: { x: { y: [1] } } }]),
    templates: async () => reactive([{ uriTemplate: 's:{n}', name: 'S', _meta: { x: [1] } }]),
    tools: async () => reactive([{ name: 'own', inputSchema: { type: 'object' } }]),
    callTool: async () => reactive({ content: [{ type: 'text', text: 'own' }] }),
    prompts: async () => reactive([{ name: 'mine', arguments: [{ name: 'x' }] }]),
    getPrompt: async () => reactive({ messages: [] }),
    complete: async () => reactive({ values: ['c'], total: 1 }),
    watch: (changed) => changed(reactive({ list: 'tools' })),
  }))
  mcp.mount(lib.idb(reactive({ databases: { app: { notes: { title: 'title', fields: ['a'] } } } })))
  mcp.mount(lib.storage(reactive({ local: ['theme', { prefix: 'x:' }] })))
  mcp.mount(lib.page(reactive({ select: ['body'], parts: ['text'] })))
  mcp.changed(reactive({ list: 'prompts' }))
  value.set(reactive({ items: [{ n: 4 }] }))
  const joined = await mcp.connect('ws://127.0.0.1:9/page').joined
    .catch((error) => error.name)

  // A client on a port of the app's own.
  const near = { postMessage: (data) => far.onmessage({ data }), onmessage: null }
  const far = { postMessage: (data) => near.onmessage({ data }), onmessage: null }
  mcp.accept(near, { principal: 'page' })
  const client = testClient(far)
  const ask = async (...request) => {
    const { result, error } = await client.askModern(...request)
    return result ?? error
  }
  const answers = []
  const requests = [
    ['server/discover'],
    ['resources/list'], ['resources/templates/list'], ['tools/list'], ['prompts/list'],
    ...['a:value', 'a:provided', 'a:later', 'a:several', 'a:many', 'b:1', 's:1', 'page:///text'].map((uri) => ['resources/read', { uri }]),
    ['tools/call', { name: 'add', arguments: { n: 1 } }], ['tools/call', { name: 'own' }],
    ['prompts/get', { name: 'ask', arguments: { x: 'y' } }], ['prompts/get', { name: 'mine' }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'b:{id}' }, argument: { name: 'id', value: 'o' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: 'x', value: '' } }],
  ]
  for (const [method, params] of requests) answers.push([method, params, await ask(method, params)])
  mcp.close()
  const text = JSON.stringify({ joined, answers, errors })
  const same = text.replace(/"time":"[^"]*"/g, '"time":""').replace(/"[0-9]+-[0-9]+-([0-9]+)"/g, '"version $1"')
  return JSON.parse(same)
}
window.ready = true`

inBrowsers('Proxies count as plain data', async ({ open }) => {
  const site = await servePages({ '/host.html': host })
  try {
    const tab = await open(`${site.origin}/host.html`)
    await tab.waitForFunction('window.ready')
    const { joined, answers, errors } = (await tab.evaluate('run()')) as {
      joined: string
      answers: [method: string, params: { uri?: string }, answer: Record<string, unknown>][]
      errors: string[]
    }
    assert.equal(joined, 'JoinError') // without an invitation
    assert.deepEqual(errors, [])
    const text = (uri: string) =>
      (
        answers.find(([, params]) => params?.uri === uri)?.[2] as {
          contents?: { text: string }[]
        }
      )?.contents?.[0]?.text
    assert.deepEqual(
      ['a:value', 'a:provided', 'a:later', 'a:several', 'a:many', 'b:1', 's:1'].map(text),
      ['{"items":[{"n":4}]}', '{"items":[{"n":2}]}', '[{"n":3}]', 'one', 'many', 'b', 's'],
    )
    const failed = answers.filter(([, , answer]) => 'code' in answer)
    assert.deepEqual(failed, [])
    const all = JSON.stringify(answers)
    for (const part of [
      '"audience":["user"]',
      '"y":[1]',
      '"sum":[1,1]',
      '"ttlMs":9',
      '"sizes":["8x8"]',
    ]) {
      assert.ok(all.includes(part), part)
    }
  } finally {
    await site.close()
  }
})
