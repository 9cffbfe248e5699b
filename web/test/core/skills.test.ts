/** Skills of a page, with the engine in this thread; a client that knows nothing of our code verifies them. */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { parse } from 'yaml'
import { resultOf, type TestClient } from '../harness/client.ts'
import { testPage } from './page.ts'

interface Entry {
  uri: string
  frontmatter: Record<string, unknown>
  resources: { uri: string; digest: string; size: number }[] | 'dynamic'
}

async function skills(client: TestClient): Promise<Entry[]> {
  return resultOf<{ skills: Entry[] }>(await client.askModern('skills/list')).skills
}

async function declares(client: TestClient): Promise<boolean> {
  const { capabilities } = resultOf<{ capabilities: { extensions?: object } }>(
    await client.askModern('server/discover'),
  )
  return 'io.modelcontextprotocol/skills' in (capabilities.extensions ?? {})
}

async function read(client: TestClient, uri: string): Promise<Buffer> {
  const answer = await client.askModern('resources/read', { uri })
  const [item] = resultOf<{ contents: { uri: string; text?: string; blob?: string }[] }>(
    answer,
  ).contents
  assert.equal(item?.uri, uri)
  return item?.text === undefined
    ? Buffer.from(item?.blob as string, 'base64')
    : Buffer.from(item.text)
}

/** Reads each file of a skill: digest, size and frontmatter are those of its entry. */
async function verify(client: TestClient, { uri, frontmatter, resources }: Entry) {
  assert.notEqual(resources, 'dynamic')
  for (const file of resources as Entry['resources'] & object[]) {
    const bytes = await read(client, file.uri)
    assert.equal(`sha256:${createHash('sha256').update(bytes).digest('hex')}`, file.digest, uri)
    assert.equal(bytes.length, file.size, uri)
  }
  const [, yaml] = /^---\r?\n(.*?)\r?\n---\r?\n/s.exec(String(await read(client, uri))) ?? []
  assert.deepEqual(parse(yaml as string), frontmatter)
}

const photo = new Uint8Array([0, 1, 2, 255])

test('a skill and its files are served, with digests and sizes', async (t) => {
  const { mcp, client } = await testPage(t)
  const one = client()
  assert.equal(await declares(one), true)
  assert.deepEqual(await skills(one), [])
  const files = { 'examples/e-mail.md': 'Dear “customer” 🙂\r\n', 'photo.png': photo }
  const description = {
    name: 'refunds',
    description: 'Refund an order: "no", yes\nand more',
    license: 'MIT',
    metadata: { version: '1.0' },
    further: [1, null, { a: true }],
  }
  const remove = mcp.skill(description, '# Refunds\n', { path: 'acme/billing', files })
  await remove.ready
  await mcp.skill({ name: 'list', description: 'Use the list.' }, 'Read it.').ready
  const [first, second, ...others] = (await skills(one)) as [Entry, Entry]
  assert.deepEqual(others, [])
  assert.equal(first.uri, 'skill://acme/billing/refunds/SKILL.md')
  assert.deepEqual(first.frontmatter, description)
  assert.equal(second.uri, 'skill://list/SKILL.md')
  await verify(one, first)
  await verify(one, second)
  const got = await one.askModern('skills/get', { uri: first.uri })
  assert.deepEqual(resultOf<{ skill: Entry }>(got).skill, first)

  const listed = resultOf<{ resources: Record<string, unknown>[] }>(
    await one.askModern('resources/list'),
  ).resources
  assert.deepEqual(
    listed.map(({ uri, name, description, mimeType }) => ({ uri, name, description, mimeType })),
    [
      {
        uri: 'skill://acme/billing/refunds/SKILL.md',
        name: 'refunds',
        description: description.description,
        mimeType: 'text/markdown',
      },
      {
        uri: 'skill://acme/billing/refunds/examples/e-mail.md',
        name: 'refunds/examples/e-mail.md',
        description: undefined,
        mimeType: 'text/markdown',
      },
      {
        uri: 'skill://acme/billing/refunds/photo.png',
        name: 'refunds/photo.png',
        description: undefined,
        mimeType: 'image/png',
      },
      {
        uri: 'skill://list/SKILL.md',
        name: 'list',
        description: 'Use the list.',
        mimeType: 'text/markdown',
      },
    ],
  )
  remove()
  remove()
  assert.deepEqual(
    (await skills(one))?.map(({ uri }) => uri),
    ['skill://list/SKILL.md'],
  )
})

test('a removal before a skill is served counts', async (t) => {
  const { mcp, client } = await testPage(t)
  const one = client()
  const early = mcp.skill({ name: 'a', description: 'A' }, 'Text')
  early()
  await early.ready
  assert.deepEqual(await skills(one), [])
  const late = mcp.skill({ name: 'a', description: 'A' }, 'Text')
  await late.ready
  assert.equal((await skills(one)).length, 1)
  late()
  assert.deepEqual(await skills(one), [])
})

test('of one skill the registration that was called last is served, then the one before', async (t) => {
  const { mcp, client } = await testPage(t)
  const one = client()
  const files = { large: new Uint8Array(4 << 20) } // takes longer to digest
  const first = mcp.skill({ name: 'a', description: 'First' }, 'One', { files })
  const second = mcp.skill({ name: 'a', description: 'Second' }, 'Two')
  await Promise.all([first.ready, second.ready])
  const now = async () => {
    const all = await skills(one)
    for (const entry of all) await verify(one, entry)
    return all.map(({ frontmatter }) => frontmatter.description)
  }
  assert.deepEqual(await now(), ['Second'])
  second()
  assert.deepEqual(await now(), ['First'])
})

test('skills outlive the program of the engine', async (t) => {
  const page = await testPage(t)
  await page.mcp.skill({ name: 'a', description: 'A' }, 'Text').ready
  await page.kill()
  const one = page.client()
  const [entry] = (await skills(one)) as [Entry]
  await verify(one, entry)
})

test('bytes that the app changes later change nothing', async (t) => {
  const { mcp, client } = await testPage(t)
  const one = client()
  const bytes = new Uint8Array([1, 2, 3])
  const registration = mcp.skill({ name: 'a', description: 'A' }, '', { files: { 'x.bin': bytes } })
  await registration.ready
  bytes[0] = 9
  const [entry] = (await skills(one)) as [Entry]
  await verify(one, entry)
})

test('the hook redact gets each file once; digests are of what it returns', async (t) => {
  const seen: string[] = []
  const { mcp, client } = await testPage(t, {
    redact(uri, value) {
      seen.push(uri)
      if (uri.endsWith('gone.md')) return undefined
      return typeof value === 'string' ? value.replace('secret', '*') : value.reverse()
    },
  })
  const one = client()
  const files = { 'a.md': 'a secret', 'gone.md': 'x', 'b.bin': photo }
  await mcp.skill({ name: 'a', description: 'A' }, 'a secret', { files }).ready
  const [entry] = (await skills(one)) as [Entry]
  await verify(one, entry)
  assert.deepEqual(
    (entry.resources as { uri: string }[]).map(({ uri }) => uri),
    ['skill://a/SKILL.md', 'skill://a/a.md', 'skill://a/b.bin'],
  )
  assert.equal(String(await read(one, 'skill://a/a.md')), 'a *')
  assert.deepEqual([...(await read(one, 'skill://a/b.bin'))], [255, 2, 1, 0])
  assert.equal(seen.length, 4)
  assert.deepEqual([...photo], [0, 1, 2, 255])
  await assert.rejects(
    mcp.skill({ name: 'b', description: 'A secret' }, '').ready,
    /redact changes the frontmatter of the skill b/,
  )
})

test('without SHA-256, in a page that is not secure, a skill is dynamic', async (t) => {
  const { mcp, client } = await testPage(t)
  Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true })
  t.after(() => Reflect.deleteProperty(crypto, 'subtle'))
  await mcp.skill({ name: 'a', description: 'A' }, 'Text').ready
  assert.equal((await skills(client()))?.[0]?.resources, 'dynamic')
})

test('a skill that breaks a rule is refused, with what to do', async (t) => {
  const { mcp, client } = await testPage(t)
  const good = { name: 'a', description: 'A' }
  const refused = (args: unknown[], error: RegExp) =>
    assert.rejects(
      (mcp.skill as (...args: unknown[]) => { ready: Promise<void> })(...args).ready,
      (thrown: Error) => thrown instanceof TypeError && error.test(thrown.message),
      String(error),
    )
  for (const name of ['', 'A', 'a--b', 'a-', 'a/b', '..', 'x'.repeat(65), undefined]) {
    await refused([{ ...good, name }, ''], /the name of a skill is 1 to 64/)
  }
  for (const description of [undefined, ' ', 'x'.repeat(1025), 7]) {
    await refused([{ name: 'a', description }, ''], /the skill a needs a description/)
  }
  for (const path of ['', '/a', 'a/', '../a', 'a/../b', '.env', 'a%2Fb', 'a\\b', 'é', 'a?b']) {
    await refused([good, '', { files: { [path]: '' } }], /a path in a skill is relative/)
    await refused([good, '', { path }], /a path in a skill is relative/)
  }
  await refused([good], /needs its instructions/)
  await refused([good, '---\nname: a\n---\n'], /without frontmatter/)
  const large = { a: new Uint8Array(8 << 20), b: new Uint8Array(8 << 20) }
  await refused([good, '', { files: large }], /more than 16 MiB/)
  assert.deepEqual(await skills(client()), [])
})
