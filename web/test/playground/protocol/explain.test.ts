/** What is said about a row: its kind, its method, its code, and why it probably failed. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { en as texts } from '../../../playground/protocol/explain.texts.ts'
import {
  type Explanation,
  explainRow,
  type Known,
  type Sentence,
} from '../../../playground/protocol/explain.ts'
import { methodsOf } from '../../../playground/protocol/methods.ts'
import { nearest } from '../../../playground/protocol/nearest.ts'
import {
  type Params,
  type Revision,
  request,
  revisions,
} from '../../../playground/protocol/revisions.ts'
import { newStore, push } from '../stored.ts'

const modern: Revision = '2026-07-28'
const classic: Revision = '2025-11-25'

/** Explains the error that answers a request. */
function failure(
  asked: unknown,
  code: number,
  revision: Revision,
  known: Known = {},
  data?: unknown,
) {
  const store = newStore()
  push(store, 'out', asked)
  const row = push(store, 'in', { jsonrpc: '2.0', id: 1, error: { code, message: 'no', data } })
  return explainRow(store, row, revision, known)
}

/** The English of a sentence; `undefined` in it is a text that is missing. */
function english({ key, params = {} }: Sentence): string {
  let found: unknown = { explain: texts }
  for (const part of key.split('.')) found = (found as { [part: string]: unknown })[part]
  return String(found).replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]))
}

const words = ({ sentences }: Explanation) => sentences.map(english)
const cause = (explanation: Explanation) => words(explanation).at(-1)

test('every method and every code of every revision has a text and a page', () => {
  for (const revision of revisions) {
    for (const { name, kind } of methodsOf(revision)) {
      const store = newStore()
      const message: Params = { jsonrpc: '2.0', method: name, ...(kind === 'request' && { id: 1 }) }
      const explanation = explainRow(store, push(store, 'out', message), revision)
      for (const text of words(explanation))
        assert.ok(!text.includes('undefined'), `${name}: ${text}`)
      const [link] = explanation.links
      if (link?.title.startsWith('io.modelcontextprotocol/')) assert.match(link.url, /^https:\/\//)
      else assert.match(link?.url ?? '', new RegExp(`specification/${revision}/`))
    }
  }
  for (const code of [
    -32700, -32600, -32601, -32602, -32603, -32002, -32042, -32020, -32021, -32022,
  ]) {
    for (const revision of revisions) {
      const explanation = failure(request(revision, 1, 'resources/list'), code, revision)
      for (const text of words(explanation))
        assert.ok(!text.includes('undefined'), `${code}: ${text}`)
      assert.match(explanation.links[0]?.url ?? '', /^https:\/\//)
    }
  }
})

test('a resource that is not there: the nearest that is', () => {
  const known = { uris: ['notes://today', 'notes://wish', 'clock://now'] }
  const asked = (uri: string) => request(modern, 1, 'resources/read', { uri })
  assert.equal(
    cause(failure(asked('notes://tody'), -32602, modern, known)),
    'Likely cause: notes://tody does not exist. Did you mean notes://today?',
  )
  assert.equal(
    cause(failure(asked('file:///etc/passwd'), -32602, modern, known)),
    'Likely cause: the server does not list file:///etc/passwd.',
  )
  const old = request(classic, 1, 'resources/read', { uri: 'notes://wsh' })
  assert.match(cause(failure(old, -32002, classic, known)) ?? '', /notes:\/\/wish/)
})

test('a method with a slip, of another revision, or without its capability', () => {
  assert.match(
    cause(failure(request(modern, 1, 'resource/list'), -32601, modern)) ?? '',
    /Did you mean resources\/list/,
  )
  assert.match(
    cause(failure(request(modern, 1, 'resources/subscribe'), -32601, modern)) ?? '',
    /resources\/subscribe is not in 2026-07-28/,
  )
  assert.match(
    cause(failure(request(modern, 1, 'tools/list'), -32601, modern, { capabilities: {} })) ?? '',
    /did not declare tools/,
  )
})

test('what is missing from a request, of a wrong type, or no JSON at all', () => {
  const bare = { jsonrpc: '2.0', id: 1, method: 'resources/list' }
  assert.match(cause(failure(bare, -32602, modern)) ?? '', /params\._meta is missing/)
  const half = { ...bare, params: { _meta: {} } }
  assert.match(cause(failure(half, -32602, modern)) ?? '', /protocolVersion is missing/)
  const numeric = request(classic, 1, 'resources/read', { uri: 7 })
  assert.match(cause(failure(numeric, -32602, classic)) ?? '', /params\.uri should be string/)
  assert.match(cause(failure({ id: 1, method: 'ping' }, -32600, classic)) ?? '', /jsonrpc/)
})

test('what the data of an error tells', () => {
  const asked = request(modern, 1, 'resources/list')
  const version = { requested: '1999-01-01', supported: ['2026-07-28'] }
  assert.equal(
    cause(failure(asked, -32022, modern, {}, version)),
    'Requested: 1999-01-01. The server supports 2026-07-28.',
  )
  const ability = { requiredCapabilities: { sampling: {} } }
  assert.match(cause(failure(asked, -32021, modern, {}, ability)) ?? '', /declare sampling/)
})

test('hostile values are only values', () => {
  const known = { uris: ['__proto__', 'constructor'] }
  for (const uri of [null, {}, [], '__proto__', 'x'.repeat(10_000)]) {
    const asked = request(modern, 1, 'resources/read', { uri: uri as string })
    assert.ok(words(failure(asked, -32602, modern, known, { uri })).length > 0)
  }
  assert.ok(words(failure(request(modern, 1, 'constructor'), -32601, modern)).length > 0)
  assert.ok(words(failure(request(modern, 1, '__proto__'), -32601, modern)).length > 0)
})

test('nearest finds slips, and nothing that is far away', () => {
  const methods = ['resources/list', 'resources/read', 'prompts/list']
  assert.equal(nearest('resorces/list', methods), 'resources/list')
  assert.equal(nearest('RESOURCES/READ', methods), 'resources/read')
  assert.equal(nearest('tasks', methods), undefined)
})
