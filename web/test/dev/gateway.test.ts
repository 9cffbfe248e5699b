// Who gets an invitation from a development server, and how the server gets it: without a browser.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Asking, command, ownOrigin } from '../../src/dev/gateway.ts'

const own: Asking = {
  method: 'POST',
  headers: {
    host: 'localhost:5173',
    origin: 'http://localhost:5173',
    'sec-fetch-site': 'same-origin',
  },
  socket: { remoteAddress: '127.0.0.1', localPort: 5173 },
}
const withHeaders = (headers: object) => ({ ...own, headers: { ...own.headers, ...headers } })
const withSocket = (socket: object) => ({ ...own, socket: { ...own.socket, ...socket } })
const at = (host: string) => withHeaders({ host, origin: `http://${host}` })

const asking: [what: string, request: Asking, origin: string | undefined][] = [
  ['a page of the server', own, 'http://localhost:5173'],
  ['by IPv4', at('127.0.0.1:5173'), 'http://127.0.0.1:5173'],
  [
    'by IPv6',
    { ...at('[::1]:5173'), socket: { remoteAddress: '::1', localPort: 5173 } },
    'http://[::1]:5173',
  ],
  ['by IPv4 in IPv6', withSocket({ remoteAddress: '::ffff:127.0.0.1' }), 'http://localhost:5173'],
  ['by a name below localhost', at('shop.localhost:5173'), 'http://shop.localhost:5173'],
  [
    'by https',
    {
      ...withHeaders({ origin: 'https://localhost:5173' }),
      socket: { ...own.socket, encrypted: true },
    },
    'https://localhost:5173',
  ],
  ['another machine', withSocket({ remoteAddress: '192.168.1.7' }), undefined],
  [
    'another machine, which says it is this one',
    withSocket({ remoteAddress: '::ffff:10.0.0.2' }),
    undefined,
  ],
  [
    'an address that only begins like loopback',
    withSocket({ remoteAddress: '127.0.0.1.evil' }),
    undefined,
  ],
  ['a name that resolves to this machine', at('evil.example:5173'), undefined],
  ['a name that ends like localhost', at('evil-localhost:5173'), undefined],
  ['the address in the network', at('192.168.1.2:5173'), undefined],
  ['another origin of this machine', withHeaders({ origin: 'http://localhost:3000' }), undefined],
  ['the other scheme', withHeaders({ origin: 'https://localhost:5173' }), undefined],
  ['no origin', withHeaders({ origin: undefined }), undefined],
  ['an opaque origin', withHeaders({ origin: 'null' }), undefined],
  ['a page of the same site', withHeaders({ 'sec-fetch-site': 'same-site' }), undefined],
  ['a link', { ...own, method: 'GET' }, undefined],
  ['a proxy on another port', at('localhost:8080'), undefined],
  ['a tunnel', withHeaders({ 'x-forwarded-for': '203.0.113.9' }), undefined],
  ['a proxy that says so', withHeaders({ via: '1.1 proxy' }), undefined],
  ['no port', at('localhost'), undefined],
  ['a user in the host', at('ann@localhost:5173'), undefined],
]

test('pages of the server itself are invited, in browsers of this machine', () => {
  for (const [what, request, origin] of asking) assert.equal(ownOrigin(request), origin, what)
})

test('a command goes to the socket of the state directory', {
  skip: process.platform === 'win32',
}, async () => {
  const state = mkdtempSync(join(tmpdir(), 'pagemcp-'))
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => {
      text += part
    })
    request.on('end', () => {
      if (request.url !== '/control/pair') response.statusCode = 400
      const answer = request.url === '/control/long' ? 'x'.repeat(1e6) : `{"asked":${text}}`
      response.end(request.url === '/control/text' ? 'no such thing\n' : answer)
    })
  })
  try {
    assert.equal(await command(state, 'running'), undefined)
    await new Promise<void>((resolve) => server.listen(join(state, 'socket'), resolve))
    assert.deepEqual(await command(state, 'pair', { origin: 'o' }), { asked: { origin: 'o' } })
    await assert.rejects(command(state, 'text'), /^Error: no such thing$/)
    await assert.rejects(command(state, 'long'), /too long/)
  } finally {
    server.close()
    rmSync(state, { recursive: true, force: true })
  }
})
