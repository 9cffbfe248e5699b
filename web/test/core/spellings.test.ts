// One resource, one identity: whatever spelling of a URI clients and the app use.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NotFoundError } from '../../src/index.ts'
import { errorOf, resultOf } from '../harness/client.ts'
import { testPage } from './page.ts'

test('a source gets a URI as it is listed, whatever spelling a client uses', async (t) => {
  const { mcp, client } = await testPage(t)
  const uris = ["own://it's", 'own://%27b', 'own://c%2Fd']
  mcp.mount({
    list: async () => ({ resources: uris.map((uri) => ({ uri, name: uri })) }),
    async read(uri) {
      if (!uris.includes(uri)) throw new NotFoundError(uri)
      return [{ uri, text: uri }]
    },
  })
  const one = client()
  for (const uri of [...uris, 'own://%63%2fd', "own://'b"]) {
    const { contents } = resultOf(await one.askModern('resources/read', { uri })) as {
      contents: { uri: string }[]
    }
    assert.equal(contents[0]?.uri, uri)
  }
  assert.equal(errorOf(await one.askModern('resources/read', { uri: 'own://c/d' })).code, -32602)
})

test('a change of what does not exist is reported, and no other', async (t) => {
  const { mcp, errors } = await testPage(t)
  mcp.resource("notes://it's", { name: 'one' }, () => '')
  mcp.resources('day:///{date}', { name: 'day', read: () => '' })
  mcp.mount({
    list: async () => ({ resources: [] }),
    templates: async () => [{ uriTemplate: 'own:///{id}', name: 'own' }],
    async read(uri) {
      if (uri !== 'here:1') throw new NotFoundError(uri)
      return [{ uri, text: '' }]
    },
  })
  const reported = async (what: never) => {
    const from = errors.length
    mcp.changed(what)
    for (let i = 0; i < 20; i++) await new Promise((done) => setImmediate(done))
    return errors.slice(from).map(String).join()
  }
  for (const uri of ['notes://it%27s', "notes://%69t's", 'day:///2026', 'own:///gone', 'here:1']) {
    assert.equal(await reported(uri as never), '', uri)
  }
  for (const what of ['notes://its', 'nothing', '', 'a b:', 'here:2', { list: 'resource' }]) {
    assert.match(await reported(what as never), /changed\(.*\)/, JSON.stringify(what))
  }
})
