// Several registrations of one name: the latest is served, and when it goes, the one before it is served again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageMcp } from '../../src/index.ts'
import { errorOf, type Message, resultOf, type TestClient } from '../harness/client.ts'
import { type TestPage, testPage } from './page.ts'

interface Kind {
  /** Registers under the one name of this test; what it answers says which it was. */
  add(mcp: PageMcp, which: string): () => void
  /** What answers now. */
  ask(client: TestClient): Promise<string>
}

const contentOf = (answer: Message) => {
  if (answer.error) return `error ${errorOf(answer).code}`
  const { contents, content, messages } = resultOf<{
    contents?: { text: string }[]
    content?: { text: string }[]
    messages?: { content: { text: string } }[]
  }>(answer)
  return contents?.[0]?.text ?? content?.[0]?.text ?? messages?.[0]?.content.text ?? 'nothing'
}

const kinds: { [kind: string]: Kind } = {
  resource: {
    add: (mcp, which) => mcp.resource('shop://cart', { name: which }, () => which),
    ask: async (client) =>
      contentOf(await client.askModern('resources/read', { uri: 'shop://cart' })),
  },
  resources: {
    add: (mcp, which) => mcp.resources([[{ uri: 'shop://cart', name: which }, () => which]]),
    ask: async (client) =>
      contentOf(await client.askModern('resources/read', { uri: 'shop://cart' })),
  },
  template: {
    add: (mcp, which) => mcp.resources('shop://{id}', { name: which, read: () => which }),
    ask: async (client) => contentOf(await client.askModern('resources/read', { uri: 'shop://1' })),
  },
  tool: {
    add: (mcp, which) => mcp.tool('buy', { description: which }, () => which),
    ask: async (client) => contentOf(await client.askModern('tools/call', { name: 'buy' })),
  },
  prompt: {
    add: (mcp, which) => mcp.prompt('ask', { description: which }, () => which),
    ask: async (client) => contentOf(await client.askModern('prompts/get', { name: 'ask' })),
  },
}

for (const [kind, { add, ask }] of Object.entries(kinds)) {
  test(`${kind}: removing one registration leaves the others of its name`, async (t) => {
    const { mcp, client } = await testPage(t)
    const one = client()
    const removeA = add(mcp, 'a')
    const removeB = add(mcp, 'b')
    const removeC = add(mcp, 'c')
    assert.equal(await ask(one), 'c')
    removeB() // one that is not served: nothing changes
    removeB()
    assert.equal(await ask(one), 'c')
    removeC()
    assert.equal(await ask(one), 'a')
    const removeD = add(mcp, 'd')
    removeA()
    assert.equal(await ask(one), 'd')
    removeD()
    assert.equal(await ask(one), 'error -32602')
  })

  test(`${kind}: a restarted engine serves the same registration`, async (t) => {
    const page: TestPage = await testPage(t)
    add(page.mcp, 'a')
    const removeB = add(page.mcp, 'b')
    const removeC = add(page.mcp, 'c')
    removeC()
    await page.kill()
    const client = page.client()
    assert.equal(await ask(client), 'b')
    removeB()
    assert.equal(await ask(client), 'a')
  })
}

test('subscribers of a URI are notified when another registration of it is served', async (t) => {
  const { mcp, client } = await testPage(t)
  const one = client()
  mcp.resource('shop://cart', { name: 'a' }, () => 'a')
  await one.initialize()
  resultOf(await one.ask('resources/subscribe', { uri: 'shop://cart' }))
  const updated = (m: Message) => m.method === 'notifications/resources/updated'
  const remove = mcp.resource('shop://cart', { name: 'b' }, () => 'b')
  await one.next(updated)
  const from = one.got.length
  remove()
  await one.next(updated, from)
})

test('an entry that is not valid costs itself, and one error names it', async (t) => {
  const { mcp, client } = await testPage(t)
  const errors: unknown[] = []
  mcp.on('error', (error) => errors.push(error))
  mcp.resources([
    [{ uri: 'shop://cart', name: 'Cart' }, '2 apples'],
    [{ uri: 'not a uri', name: 'Wrong' }, 'nothing'],
    [{ uri: 'shop://wish', name: '' }, 'nothing'],
    [{ uri: 'shop://list', name: 'List' }, '1 pear'],
  ])
  const one = client()
  const list = await one.askModern('resources/list')
  const { resources } = resultOf<{ resources: { uri: string }[] }>(list)
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    ['shop://cart', 'shop://list'],
  )
  assert.equal(contentOf(await one.askModern('resources/read', { uri: 'shop://list' })), '1 pear')
  assert.equal(errors.length, 1, errors.join('\n'))
  assert.match(String(errors[0]), /not a uri[\s\S]*shop:\/\/wish/)
})
