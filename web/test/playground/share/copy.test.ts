/** A row as something to paste: that the command sends the same bytes. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { catalogue, type Listed, type Tool } from '../../../playground/connections/catalogue.ts'
import { Connection } from '../../../playground/connections/connection.ts'
import { http } from '../../../playground/connections/http.ts'
import { type Peer, Session } from '../../../playground/connections/session.ts'
import { type Params, type Revision, request } from '../../../playground/protocol/revisions.ts'
import { copyAs, copyKinds } from '../../../playground/share/copy-as.ts'
import { newStore, push } from '../stored.ts'

const modern = '2026-07-28'

function conversation(params: Params = { uri: "notes://it's" }) {
  const store = newStore()
  const raw = JSON.stringify(request(modern, 1, 'resources/read', params))
  push(store, 'out', raw, { framing: 'http' })
  const result = { resultType: 'complete', contents: [{ uri: 'a:b', text: '```js\n```' }] }
  push(store, 'in', { jsonrpc: '2.0', id: 1, result }, { framing: 'http' })
  return { store, raw }
}

/** A session over HTTP that has this revision now. */
function sessionOf(revision: Revision): Session {
  const dialer = http('https://example.com/mcp')
  const session = new Session(new Connection(dialer, 'A', newStore()), revision)
  session.peer.value = { name: 'my server', version: '1', capabilities: {} } as unknown as Peer
  return session
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

test('curl has the revision of its message, the arguments of its tool that are headers, and the session of older ones', () => {
  const { store } = conversation()
  const session = sessionOf('2025-06-18') // it has changed since
  const tool = { properties: { place: { type: 'string', 'x-mcp-header': 'Place' } } }
  catalogue(session).lists.tools.value = {
    items: [{ name: 'go', inputSchema: tool }],
    state: 'there',
  } as unknown as Listed<Tool>
  const push = (message: object) =>
    store.push({ connection: 1, direction: 'out', framing: 'http', raw: JSON.stringify(message) })
  const call = push(
    request(modern, 2, 'tools/call', { name: 'go', arguments: { place: 'Köln' } }) as object,
  )
  const curl = copyAs('curl', store, call, session)
  assert.match(curl, /MCP-Protocol-Version: 2026-07-28/)
  assert.match(curl, /Mcp-Param-Place: =\?base64\?S8O2bG4=\?=/)
  push({ jsonrpc: '2.0', id: 3, method: 'initialize', params: { protocolVersion: '2025-06-18' } })
  const ping = push({ jsonrpc: '2.0', id: 4, method: 'ping' })
  const older = copyAs('curl', store, ping, session)
  assert.match(older, /-H "Mcp-Session-Id: \$SESSION"/)
  assert.match(older, /MCP-Protocol-Version: 2025-06-18/)
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
  const session = sessionOf(modern)
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
