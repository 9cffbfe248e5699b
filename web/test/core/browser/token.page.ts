// A page that joins a hosted gateway over TLS with tokens of its app: it joins, serves, sends further tokens, comes back
// after each close, and ends at logout. The gateway is a small one that was written from the document.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inContext, type TestBrowser } from '../../harness/browsers.ts'
import { browserUnderTest, close, launch } from '../../harness/launch.ts'
import { servePages } from './built.ts'
import type { Peer } from './gateway.ts'
import { makeCertificate, type TokenGateway, tokenGateway } from './token-gateway.ts'

const certificate = makeCertificate()

const page = (gateway: string) => `
import { JoinError, start, webSocket } from '/pagemcp/index.js'
window.calls = 0
window.states = []
window.errors = []
window.mcp = await start({ name: 'notes', title: 'Notes' })
mcp.resource({ uri: 'notes://cart', name: 'Cart' }, () => '2 apples')
mcp.on('state', ({ gateways: [one] }) => states.push(one))
mcp.on('error', (error) => errors.push(String(error)))
const token = async () => 'token-' + ++calls
mcp.connect(webSocket('${gateway}', { token })).joined.then(
  (name) => { window.outcome = name },
  (error) => { window.outcome = error.reason + ' ' + (error instanceof JoinError) },
)`

interface PageState {
  is: string
  error?: string
}

/** How many tokens the page has asked its app for. */
const calls = (tab: Page) => tab.evaluate('calls') as Promise<number>
const state = (tab: Page) => tab.evaluate('mcp.state.gateways[0]') as Promise<PageState>
const is = (tab: Page, wanted: string) =>
  tab.waitForFunction(`window.mcp?.state.gateways[0]?.is === '${wanted}'`, { polling: 50 })

/** The next message with a member; the page sends a further token every 4 s, which may come first. */
async function next(peer: Peer, member: string): Promise<Record<string, unknown>> {
  for (;;) {
    const message = (await peer.next()) as Record<string, unknown>
    if (member in message) return message
  }
}

/** Reads a resource of the page, as the gateway does for assistants. */
async function reads(peer: Peer) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  peer.send({
    jsonrpc: '2.0',
    id: 1,
    method: 'resources/read',
    params: { uri: 'notes://cart', _meta },
  })
  const { result } = (await next(peer, 'result')) as { result: { contents: { text: string }[] } }
  assert.equal(result.contents[0]?.text, '2 apples')
}

/** The page dials again; the gateway takes it. */
async function joinsAgain(gateway: TokenGateway, tab: Page) {
  const peer = await gateway.dialled()
  const first = await gateway.join(peer)
  assert.equal(first.token, `token-${await calls(tab)}`) // the newest one
  await is(tab, 'joined')
  await reads(peer)
  return peer
}

async function story({ open }: TestBrowser) {
  const gateway = await tokenGateway(certificate)
  const site = await servePages({ '/page.html': page(gateway.url) })
  try {
    const json = JSON.stringify({ url: 'ws://127.0.0.1:9/page', id: 'id', secret: 'secret' })
    const invitation = Buffer.from(json).toString('base64url') // ignored
    const tab = await open(`${site.origin}/page.html#pagemcp=${invitation}`)
    let peer = await gateway.dialled()
    assert.equal(peer.origin, site.origin)
    const first = await gateway.join(peer, { ping: 15, refresh: 5, spread: 500 })
    const { hello, ...rest } = first as { hello: Record<string, unknown> }
    assert.deepEqual(rest, { pagemcp: 1, token: 'token-1', sequences: true })
    assert.deepEqual(
      [hello.name, hello.title, hello.url],
      ['notes', 'Notes', `${site.origin}/page.html`],
    )
    await tab.waitForFunction("window.outcome === 'notes-k7qd2m'", { polling: 50 })
    await reads(peer)

    assert.deepEqual(await next(peer, 'token'), { pagemcp: 1, token: 'token-2' }) // after 4 s
    await reads(peer)
    assert.equal(gateway.dials, 1)

    peer.close(4410, 'expired')
    peer = await joinsAgain(gateway, tab)
    const asked = await calls(tab)
    assert.ok(asked >= 3, `${asked} tokens`)
    for (const [code, text] of [
      [4412, 'is being restarted'],
      [4429, 'has reached a limit'],
    ] as const) {
      peer.close(code, '1000')
      await is(tab, 'away')
      assert.match((await state(tab)).error ?? '', new RegExp(text))
      peer = await joinsAgain(gateway, tab)
    }

    assert.equal(await tab.evaluate('localStorage.length'), 0)
    assert.deepEqual(await tab.evaluate('indexedDB.databases()'), [])
    assert.deepEqual(await tab.evaluate('errors'), [])

    await tab.evaluate('mcp.close()')
    assert.equal(await peer.closed, 1000)
    await is(tab, 'closed') // the state may follow the socket
    assert.deepEqual([await calls(tab), gateway.dials], [asked + 2, 4])
    await tab.close()

    const second = await open(`${site.origin}/page.html`)
    peer = await gateway.dialled()
    await gateway.join(peer, { ping: 15, refresh: 5, spread: 500 })
    assert.deepEqual(await next(peer, 'token'), { pagemcp: 1, token: 'token-2' })
    await reads(peer)
    await second.goto(`${site.origin}/elsewhere.html`)
    assert.equal(await second.evaluate('localStorage.length'), 0, 'no mark that a page was closed')
    await second.goto(`${site.origin}/page.html`)
    peer = await gateway.dialled()
    await peer.next()
    peer.close(4403, 'refused')
    await second.waitForFunction("window.outcome === 'refused true'", { polling: 50 })
  } finally {
    await site.close()
    await gateway.close()
  }
}

const name = browserUnderTest
test(`a page with tokens at a gateway over TLS (${name})`, { timeout: 120_000 }, async () => {
  const flags = name === 'chromium' ? [certificate.flag] : []
  const browser = await launch(name, { flags, acceptInsecureCerts: name === 'firefox' })
  try {
    await inContext(browser, name, story)
  } finally {
    await close(browser)
  }
})
