// One resource, one identity: whatever spelling of a URI clients and the app use. With the official SDKs' expanders.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NotFoundError } from '../../src/index.ts'
import { decoding, equivalent, oddText } from '../harness/spellings.ts'
import { random } from '../idb/random.ts'
import { errorOf, resultOf } from './client.ts'
import { testPage } from './page.ts'

const templates = ['note:///{tag}', "note:///O'Brien/é/{tag}/text!", 'find:///notes{?lang,tag}']

test('templates are found as the SDKs expand them, and their changes under any spelling', async (t) => {
  const { mcp, errors, client } = await testPage(t)
  for (const uriTemplate of templates) {
    mcp.template({ uriTemplate, name: 'note' }, ({ tag }) => ({ tag }))
  }
  const one = client()
  const next = random(2029)
  for (let i = 0; i < 300; i++) {
    const tag = oddText(next)
    const template = templates[i % templates.length] as string
    const ways = Object.entries(equivalent)
    const [how, spell] = ways[i % ways.length] as (typeof ways)[number]
    const uri = spell(template, { tag })
    const { contents } = resultOf(await one.askModern('resources/read', { uri })) as {
      contents: { uri: string; text: string }[]
    }
    assert.deepEqual(
      contents[0] && [contents[0].uri, contents[0].text],
      [uri, JSON.stringify({ tag })],
      how,
    )
    const from = one.got.length
    one.post({
      jsonrpc: '2.0',
      id: `listen-${i}`,
      method: 'subscriptions/listen',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
        notifications: { resourceSubscriptions: [uri] },
      },
    })
    await one.next(({ method }) => method === 'notifications/subscriptions/acknowledged', from)
    for (const [, other] of [...ways, ...Object.entries(decoding)]) {
      const announced = other(template, { tag })
      if (/[\s<>"{}\\\0`]/.test(announced)) continue // no URI
      mcp.changed(announced)
      break
    }
    const { params } = await one.next(
      ({ method }) => method === 'notifications/resources/updated',
      from,
    )
    assert.equal((params as { uri: string }).uri, uri)
    one.post({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: `listen-${i}` },
    })
  }
  assert.deepEqual(errors, [])
})

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
  mcp.resource({ uri: "notes://it's", name: 'one' }, () => '')
  mcp.template({ uriTemplate: 'day:///{date}', name: 'day' }, () => '')
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
