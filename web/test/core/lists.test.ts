// One bad entry, and one large content, cost themselves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Source } from '../../src/index.ts'
import { isHuge } from '../../src/json.ts'
import { errorOf, resultOf } from '../harness/client.ts'
import { testPage } from './page.ts'

const many = Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, undefined]))
const entry = (n: number) => ({ uri: `a:${n}`, name: `n${n}` })

test('an invalid entry leaves the list of its source, and is named once, with its index', async (t) => {
  const wrong = [
    { uri: 'no uri', name: 'x' },
    { uri: 'a:x' },
    { uri: 'a:y', name: 7 },
    null,
    { uri: 'a:z', name: 'z', title: {} },
  ]
  for (const bad of wrong) {
    const { mcp, errors, client } = await testPage(t)
    mcp.mount({
      list: async () => ({ resources: [entry(1), entry(2), bad, entry(3), bad] }),
      templates: async () => [{ uriTemplate: 'a:{b}', name: 't' }, bad],
      read: async () => [],
    } as unknown as Source)
    const one = client()
    for (let again = 0; again < 2; again++) {
      const { resources } = resultOf(await one.askModern('resources/list')) as {
        resources: { uri: string }[]
      }
      assert.deepEqual(
        resources.map(({ uri }) => uri),
        ['a:1', 'a:2', 'a:3'],
      )
      const { resourceTemplates } = resultOf(await one.askModern('resources/templates/list')) as {
        resourceTemplates: unknown[]
      }
      assert.equal(resourceTemplates.length, 1)
    }
    const said = errors.map(String)
    assert.equal(said.length, 2, said.join())
    assert.match(said[0] ?? '', /resources\[2\]/)
    assert.match(said[1] ?? '', /templates\[1\]/)
  }
})

test('what an app has beside a description is not listed', async (t) => {
  const { mcp, client } = await testPage(t)
  const record = { ...entry(1), diary: 'the secret', _meta: { a: 1 } }
  const template = { uriTemplate: 'a:t/{b}', name: 't', diary: 'the secret' }
  mcp.mount({
    list: async () => ({ resources: [record] }),
    templates: async () => [template],
    read: async () => [],
    tools: async () => [{ name: 'x', inputSchema: { type: 'object' }, diary: 'the secret' }],
    callTool: async () => ({ content: [] }),
    prompts: async () => [{ name: 'x', diary: 'the secret' }],
    getPrompt: async () => ({ messages: [] }),
  } as Source)
  const registered = { ...record, uri: 'a:registered' }
  mcp.resource(registered.uri, registered, 'text')
  mcp.resources('a:u/{b}', { ...template, read: () => 'text' })
  const one = client()
  const { resources } = resultOf(await one.askModern('resources/list')) as { resources: object[] }
  assert.equal(resources.length, 2)
  assert.doesNotMatch(JSON.stringify(resources), /the secret/)
  assert.match(JSON.stringify(resources), /"_meta":\{"a":1\}/)
  const { resourceTemplates } = resultOf(await one.askModern('resources/templates/list')) as {
    resourceTemplates: object[]
  }
  assert.equal(resourceTemplates.length, 2)
  assert.doesNotMatch(JSON.stringify(resourceTemplates), /the secret/)
  for (const kind of ['tools', 'prompts']) {
    const text = JSON.stringify(resultOf(await one.askModern(`${kind}/list`)))
    assert.match(text, /"name":"x"/)
    assert.doesNotMatch(text, /the secret/)
  }
})

test('a Blob that is larger than any answer is not read', async (t) => {
  const { mcp, client } = await testPage(t)
  const part = new Blob([new Uint8Array(1 << 20)])
  const large = new Blob(Array.from({ length: 300 }, () => part))
  mcp.resource('a:large', { name: 'large' }, () => large)
  const error = errorOf(await client().askModern('resources/read', { uri: 'a:large' }))
  assert.match(error.message, /too large/i)
})

test('members are counted wherever they are in a message', () => {
  for (const message of [{ params: [{ many }] }, new Map(Object.entries(many))])
    assert.ok(isHuge(message))
  assert.ok(!isHuge({ params: { text: 'x'.repeat(1 << 20) } }))
})

test('a message with a million members costs its sender the port, and no one else', async (t) => {
  const { mcp, errors, client } = await testPage(t)
  const other = client()
  const port = mcp.port()
  const closed = new Promise((resolve) => port.addEventListener('close', resolve))
  port.start()
  port.postMessage({ jsonrpc: '2.0', id: 1, method: 'ping', params: many })
  await closed
  assert.ok(resultOf(await other.askModern('server/discover')))
  assert.deepEqual(errors, [])
})
