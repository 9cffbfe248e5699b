/** A row as something to paste: that the command sends the same bytes. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import type { Session } from '../../../playground/connections/session.ts'
import { Store } from '../../../playground/messages/store.ts'
import { type Params, request } from '../../../playground/protocol/revisions.ts'
import { copyAs, copyKinds, httpHeaders } from '../../../playground/share/copy-as.ts'

const modern = '2026-07-28'

function conversation(params: Params = { uri: "notes://it's" }) {
  const store = new Store(() => {})
  const raw = JSON.stringify(request(modern, 1, 'resources/read', params))
  store.push({ connection: 1, direction: 'out', framing: 'http', raw })
  const result = { resultType: 'complete', contents: [{ uri: 'a:b', text: '```js\n```' }] }
  store.push({
    connection: 1,
    direction: 'in',
    framing: 'http',
    raw: JSON.stringify({ jsonrpc: '2.0', id: 1, result }),
  })
  return { store, raw }
}

test('curl has the headers of the transport, and sends the frame byte for byte', () => {
  const { store, raw } = conversation()
  const command = copyAs('curl', store, 1, undefined) // of the answer: its request
  const print = command.replace('curl -sgN', "printf '%s\\n'").replace(/\$\(cat [^)]*\)/, 'T')
  const words = execFileSync('sh', ['-c', print], { encoding: 'utf8' }).trimEnd().split('\n')
  assert.equal(words.at(-1), raw)
  for (const header of [
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: resources/read',
    "Mcp-Name: notes://it's",
    'Accept: application/json, text/event-stream',
  ]) {
    assert.ok(words.includes(header), header)
  }
})

test('names that are no plain ASCII are wrapped, and older revisions have a session', () => {
  const headers = httpHeaders(request(modern, 1, 'prompts/get', { name: 'Plän' }) as Params, modern)
  assert.equal(headers['Mcp-Name'], `=?base64?${Buffer.from('Plän').toString('base64')}?=`)
  const classic = httpHeaders(request('2025-11-25', 1, 'ping') as Params, '2025-11-25')
  assert.deepEqual(Object.keys(classic).slice(2), ['MCP-Protocol-Version', 'Mcp-Session-Id'])
  const first = httpHeaders({ method: 'initialize' }, '2025-11-25')
  assert.deepEqual(Object.keys(first), ['Content-Type', 'Accept'])
})

test('an issue has both frames in fences that hold, and no secrets', () => {
  const { store } = conversation({ uri: 'https://u:p@h/', token: 'abc' })
  const text = copyAs('markdown', store, 0, undefined)
  assert.match(text, /````json\n/)
  assert.doesNotMatch(text, /abc|u:p@/)
  assert.match(text, /Answered after/)
})

test('settings for assistants name the server, by command or by address', () => {
  const { store } = conversation()
  assert.match(copyAs('mcp.json', store, 0, undefined), /"stdio"/)
  const dialer = { kind: 'http', url: 'https://example.com/mcp' }
  const peer = { peek: () => ({ name: 'my server', version: '1' }) }
  const session = {
    connection: { dialer },
    peer,
    revision: { peek: () => modern },
  } as unknown as Session
  assert.deepEqual(JSON.parse(copyAs('mcp.json', store, 0, session)), {
    mcpServers: { 'my-server': { type: 'http', url: 'https://example.com/mcp' } },
  })
  assert.match(copyAs('curl', store, 0, session), /'https:\/\/example\.com\/mcp'/)
})

test('what there is to copy depends on the row', () => {
  const { store } = conversation()
  const world = store.push({ connection: 0, direction: 'world', framing: 'world', raw: 'x' })
  const enabled = (row: number) =>
    copyKinds.filter((one) => one.enabled(store, row)).map(({ kind }) => kind)
  assert.equal(enabled(0).length, 4)
  assert.deepEqual(enabled(world), ['raw', 'mcp.json', 'markdown'])
  assert.equal(copyAs('raw', store, 1, undefined), store.raw(1))
})
