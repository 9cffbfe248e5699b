/**
 * Texts that deceive (security.md, S8): whatever a page, or data in it, calls its things, no list of the page's own
 * engine, as a client on a port gets it, has a character that steers a terminal, reorders text or cannot be seen, nor a
 * text that is longer than it may be. The same over a gateway is server/attack_metadata_test.go.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageMcp } from '../../src/index.ts'
import { testPage } from '../core/page.ts'

// One of each class: ESC sequences, C1, bidirectional override, isolate and mark, zero-width, BOM, soft hyphen, joiner
// of nothing, annotation, selectors, tags, lone surrogate, C0, DEL.
const bad = `\u001b[2J\u001b]0;pwned\u0007\u009b31m\u202e\u2066\u061c\u200b\u2060\ufeff\u00ad\u200d\ufff9\ufe00\u{e0101}${String.fromCodePoint(0xe0069, 0xe0067)}\ud800\u0000\u0008\u007f`
const name = `good${bad}`
const long = name + 'x'.repeat(1 << 20)
const texts = { title: name, description: long }
const seen = { name, mimeType: 'text/plain', ...texts }
const object = {
  type: 'object',
  title: name,
  properties: { a: { title: name, description: long } },
} as const

function serve(mcp: PageMcp) {
  mcp.resource('a:1', { ...seen }, () => 'x')
  mcp.resource('a:2', { name: bad }, () => 'x')
  mcp.resources('a:{x}/y', { ...seen, read: () => 'x' })
  mcp.prompt('prompt', { ...texts, arguments: [{ name: 'a', ...texts }] }, () => ({
    description: long,
    messages: [],
  }))
  mcp.tool(
    'tool',
    { ...texts, annotations: { title: name }, inputSchema: object, outputSchema: object },
    () => ({ content: [{ type: 'resource_link', uri: 'a:1', ...seen }], structuredContent: {} }),
  )
  mcp.mount({
    list: async () => ({
      resources: [
        { uri: 'b:1', ...seen },
        { uri: 'b:2', name: bad },
      ],
    }),
    read: async (uri) => [{ uri, text: 'x', mimeType: 'text/plain' }],
    templates: async () => [{ uriTemplate: 'b:{x}', ...seen }],
    prompts: async () => [{ name: 'own', ...texts }],
    tools: async () => [{ name: 'own', ...texts, inputSchema: object }],
    getPrompt: async () => 'x',
    callTool: async () => 'x',
  })
}

/** What cannot be cleaned without breaking it is refused, each for a reason. */
const refused: { readonly [what: string]: (mcp: PageMcp) => unknown } = {
  'a name of a tool': (mcp) => mcp.tool(name, () => ''),
  'a name of a prompt': (mcp) => mcp.prompt(name, () => ''),
  'a property': (mcp) =>
    mcp.tool('t', { inputSchema: { type: 'object', properties: { [name]: {} } } }, () => ''),
  'a URI': (mcp) => mcp.resource(`a:${name}`, { name: 'n' }, () => ''),
  'a template': (mcp) => mcp.resources(`a:${name}{x}`, { name: 'n', read: () => '' }),
  'a media type': (mcp) =>
    mcp.resource('c:1', { name: 'n', mimeType: `text/plain${bad}` }, () => ''),
  'an icon of script': (mcp) =>
    mcp.resource('c:1', { name: 'n', icons: [{ src: 'javascript:alert(1)' }] }, () => ''),
}

const asked: readonly [method: string, params: object, wanted: string[]][] = [
  ['server/discover', {}, ['"title":"Test"', '"instructions":"Do\\nthis"']],
  [
    'resources/list',
    {},
    ['"a:1","name":"good"', '"a:2","name":"a:2"', '"b:1","name":"good"', '"b:2","name":"b:2"'],
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

test('no text that describes something deceives', async (t) => {
  const { mcp, errors, client } = await testPage(t, {
    title: 'Test\u202e',
    instructions: 'Do\u200b\nthis',
  })
  serve(mcp)
  const one = client()
  assert.ok(deceptions({ name: bad }).length > 0, 'the attack is one')
  for (const [method, params, wanted] of asked) {
    const answer = await one.askModern(method, params)
    assert.deepEqual(deceptions(answer), [], method)
    const text = JSON.stringify(answer)
    for (const part of wanted)
      assert.ok(text.includes(part), `${method} has ${part}: ${text.slice(0, 400)}`)
  }
  for (const [what, register] of Object.entries(refused)) {
    const before = errors.length
    register(mcp)
    await one.askModern('tools/list') // the engine has seen it by then
    assert.ok(errors.length > before, `${what} is registered without an error`)
  }
  for (const error of errors) assert.ok(String(error).length < 700, `errors are short: ${error}`)
})
