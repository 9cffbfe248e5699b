/**
 * Texts that deceive (security.md, S8): whatever a page, or data in it, calls its things, no list of the page's own
 * engine, as a client on a port gets it, has a character that steers a terminal, reorders text or cannot be seen, nor a
 * text that is longer than it may be. The same over a gateway is server/attack_metadata_test.go.
 */

import assert from 'node:assert/strict'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'

const page = `
import { start, storage, tabs } from '/pagemcp/index.js'
const mcp = await start({ name: 'test', title: 'Test\\u202e', instructions: 'Do\\u200b\\nthis' })
window.errors = []
mcp.on('error', (error) => errors.push(String(error)))
// One of each class: ESC sequences, C1, bidirectional override, isolate and mark, zero-width, BOM, soft hyphen, joiner
// of nothing, annotation, selectors, tags, lone surrogate, C0, DEL.
window.bad = '\\u001b[2J\\u001b]0;pwned\\u0007\\u009b31m\\u202e\\u2066\\u061c\\u200b\\u2060\\ufeff\\u00ad\\u200d\\ufff9\\ufe00\\u{e0101}' +
  String.fromCodePoint(0xe0069, 0xe0067) + '\\ud800\\u0000\\u0008\\u007f'
const name = 'good' + bad
const long = name + 'x'.repeat(1 << 20)
const texts = { title: name, description: long }
const seen = { name, mimeType: 'text/plain', ...texts }
const object = { type: 'object', title: name, properties: { a: { title: name, description: long } } }
mcp.resource({ uri: 'a:1', ...seen }, () => 'x')
mcp.resource({ uri: 'a:2', name: bad }, () => 'x')
mcp.template({ uriTemplate: 'a:{x}/y', ...seen }, () => 'x')
mcp.prompt({ name: 'prompt', ...texts, arguments: [{ name: 'a', ...texts }] }, () => ({ description: long, messages: [] }))
mcp.tool({ name: 'tool', ...texts, annotations: { title: name }, inputSchema: object, outputSchema: object },
  () => ({ content: [{ type: 'resource_link', uri: 'a:1', ...seen }], structuredContent: {} }))
mcp.mount({
  list: async () => ({ resources: [{ uri: 'b:1', ...seen }, { uri: 'b:2', name: bad }] }),
  read: async (uri) => [{ uri, text: 'x', mimeType: 'text/plain' }],
  templates: async () => [{ uriTemplate: 'b:{x}', ...seen }],
  prompts: async () => [{ name: 'own', ...texts }],
  tools: async () => [{ name: 'own', ...texts, inputSchema: object }],
  getPrompt: async () => 'x',
  callTool: async () => 'x',
})
document.title = name
localStorage.setItem('good', 'x')
mcp.mount(tabs({ text: ['body'] }))
mcp.mount(storage({ local: [{ prefix: 'good' }] }))

// What cannot be cleaned without breaking it is refused, each for a reason.
window.refused = {
  'a name of a tool': () => mcp.tool({ name: name }, () => ''),
  'a name that is too long': () => mcp.tool({ name: 'x'.repeat(129) }, () => ''),
  'a name of a prompt': () => mcp.prompt({ name }, () => ''),
  'an argument': () => mcp.prompt({ name: 'p', arguments: [{ name }] }, () => ''),
  'a property': () => mcp.tool({ name: 't', inputSchema: { type: 'object', properties: { [name]: {} } } }, () => ''),
  'a value': () => mcp.tool({ name: 't', inputSchema: { type: 'object', properties: { a: { enum: [name] } } } }, () => ''),
  'a URI': () => mcp.resource({ uri: 'a:' + name, name: 'n' }, () => ''),
  'a template': () => mcp.template({ uriTemplate: 'a:' + name + '{x}', name: 'n' }, () => ''),
  'a media type': () => mcp.resource({ uri: 'c:1', name: 'n', mimeType: 'text/plain' + bad }, () => ''),
  'an annotation': () => mcp.resource({ uri: 'c:1', name: 'n', annotations: { x: name } }, () => ''),
  'an icon of a file': () => mcp.resource({ uri: 'c:1', name: 'n', icons: [{ src: 'file:///etc/passwd' }] }, () => ''),
  'an icon of script': () => mcp.resource({ uri: 'c:1', name: 'n', icons: [{ src: 'javascript:alert(1)' }] }, () => ''),
  'an icon of HTML': () => mcp.resource({ uri: 'c:1', name: 'n', icons: [{ src: 'data:text/html,x' }] }, () => ''),
  'an icon of plain http': () => mcp.resource({ uri: 'c:1', name: 'n', icons: [{ src: 'http://a.example/' }] }, () => ''),
  'a large icon': () => mcp.resource({ uri: 'c:1', name: 'n', icons: [{ src: 'data:image/png;base64,' + 'A'.repeat(70000) }] }, () => ''),
}
const waiting = new Map()
const port = mcp.port()
port.onmessage = ({ data }) => waiting.get(data.id)?.(data)
let last = 0
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
window.ask = (method, params) => new Promise((resolve) => {
  waiting.set(++last, resolve)
  port.postMessage({ jsonrpc: '2.0', id: last, method, params: { ...params, _meta } })
})
window.ready = true`

const asked: readonly [method: string, params: object, wanted: string[]][] = [
  ['server/discover', {}, ['"title":"Test"', '"instructions":"Do\\nthis"']],
  [
    'resources/list',
    {},
    [
      '"a:1","name":"good"',
      '"a:2","name":"a:2"',
      '"b:1","name":"good"',
      '"b:2","name":"b:2"',
      'tab:',
    ],
  ],
  ['resources/templates/list', {}, ['"a:{x}/y","name":"good"', '"b:{x}","name":"good"']],
  ['prompts/list', {}, ['"name":"prompt"', '"name":"own"']],
  ['tools/list', {}, ['"name":"tool"', '"name":"own"']],
  ['prompts/get', { name: 'prompt' }, ['"description":"good']],
  ['tools/call', { name: 'tool', arguments: {} }, ['"resource_link"']],
  ['resources/read', { uri: 'b:1' }, ['"mimeType":"text/plain"']],
]

const limits: { readonly [member: string]: number } = {
  name: 128,
  title: 200,
  mimeType: 200,
  description: 2000,
  instructions: 2000,
}

/** What is wrong with the texts of an answer. */
function deceptions(value: unknown, name = ''): string[] {
  if (typeof value === 'string') {
    const hidden = /[^\P{Cc}\n]|[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}]/u
    const wrong = hidden.test(value)
      ? [`${name} has hidden characters: ${JSON.stringify(value)}`]
      : []
    const most = limits[name] ?? Number.POSITIVE_INFINITY
    return [...value].length > most ? [...wrong, `${name} is too long`] : wrong
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    deceptions(inner, Array.isArray(value) ? name : key),
  )
}

inBrowsers('no text that describes something deceives', async ({ open }) => {
  const site = await servePages({ '/page.html': page })
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    const sent = (await tab.evaluate('bad')) as string
    assert.ok(deceptions({ name: sent }).length > 0, 'the attack is one')
    for (const [method, params, wanted] of asked) {
      const answer = await tab.evaluate(`ask('${method}', ${JSON.stringify(params)})`)
      assert.deepEqual(deceptions(answer), [], method)
      const text = JSON.stringify(answer)
      for (const part of wanted)
        assert.ok(text.includes(part), `${method} has ${part}: ${text.slice(0, 400)}`)
    }
    const refused = (await tab.evaluate(`(async () => {
      const silent = []
      for (const [what, register] of Object.entries(refused)) {
        const before = errors.length
        register()
        await ask('tools/list') // the engine has seen it by then
        if (errors.length === before) silent.push(what)
      }
      return silent
    })()`)) as string[]
    assert.deepEqual(refused, [], 'registered without an error')
    const errors = (await tab.evaluate('errors')) as string[]
    assert.ok(
      errors.every((error) => error.length < 700),
      `errors are short: ${errors}`,
    )
  } finally {
    await site.close()
  }
})
