// A page of the package at a real node of the hosted gateway over TLS: users are told apart, and a page comes back after
// the node was drained and started again.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import type * as Package from 'pagemcp'
import type { PageMcp } from 'pagemcp'
import type { Page } from 'puppeteer-core'
import { makeCertificate, trust } from '../core/browser/token-gateway.ts'
import type { TestBrowser } from '../harness/browsers.ts'
import { built } from '../harness/build.ts'
import { serve } from '../harness/serve.ts'
import { type Gateway, post } from './gateway.ts'
import { type HostedNode, hostedNode, inBrowsersOf } from './hosted.ts'

const certificate = makeCertificate()
trust(certificate.cert)

const script = (gateway: string) => `
import { start, webSocket } from '/pagemcp/index.js'
const at = '/pagemcp-token' + location.search
window.mcp = await start({ name: 'notes', title: 'Notes' })
mcp.resource({ uri: 'notes://cart', name: 'Cart' }, () => '2 apples')
const token = async () => (await fetch(at, { method: 'POST' })).text()
mcp.connect(webSocket('${gateway}', { token })).joined.catch((error) => { window.failure = error.reason })`

const stateOf = (tab: Page, is: string) =>
  tab
    .waitForFunction(
      (is) => {
        const { mcp } = window as { mcp?: { state: { gateways: { is: string }[] } } }
        const own = mcp?.state.gateways[0]
        return own?.is === is ? own : undefined
      },
      { polling: 50 },
      is,
    )
    .then((found) => found.jsonValue() as Promise<{ name?: string; error?: string }>)

async function story({ open }: TestBrowser) {
  const { directory, remove } = await built()
  let node: HostedNode | undefined
  const files: Record<string, string> = {
    '/notes.html':
      '<!doctype html><title>Notes</title><script type="module" src="/notes.js"></script>',
    get '/notes.js'() {
      return script(node?.page ?? '')
    },
    get '/pagemcp-token'() {
      return node?.joinToken('ada', site.origin) ?? ''
    },
  }
  const site = await serve({ directories: { '/pagemcp/': join(directory, 'pagemcp') }, files })
  try {
    node = await hostedNode(certificate, [site.origin])
    const tab = await open(`${site.origin}/notes.html`)
    const { name = '' } = await stateOf(tab, 'joined')
    assert.match(name, /^notes-[a-z2-7]{6}$/)
    const mcp = `${node.url}/mcp`
    const assistant = (user: string) => ({ mcp, token: node?.accessToken(user) }) as Gateway
    const uri = `${name}+notes://cart`
    const reads = () => post(assistant('ada'), 'resources/read', { uri })
    assert.match(await reads(), /2 apples/)
    assert.match(
      await post(assistant('ada'), 'resources/read', { uri: 'notes://cart' }, name),
      /2 apples/,
    )
    assert.doesNotMatch(await post(assistant('bob'), 'resources/read', { uri }), /2 apples/)
    assert.doesNotMatch(await post(assistant('bob'), 'resources/list'), /Cart/)

    const ended = node.end()
    assert.match((await stateOf(tab, 'away')).error ?? '', /^the gateway is being restarted: /)
    await ended
    await node.start()
    assert.equal((await stateOf(tab, 'joined')).name, name, 'names do not depend on the process')
    assert.match(await reads(), /2 apples/)

    Object.defineProperty(files, '/pagemcp-token', {
      get: () => node?.joinToken('ada', 'https://other.example'),
    })
    const other = await open(`${site.origin}/notes.html`)
    await other.waitForFunction("window.failure === 'refused'", { polling: 50 })

    // It takes no invitations.
    const invitation = { url: node.page, id: 'id', secret: Buffer.alloc(32).toString('base64url') }
    const link = `#pagemcp=${Buffer.from(JSON.stringify(invitation)).toString('base64url')}`
    const refused = await other.evaluate(async (link) => {
      const { webSocket } = (await import(`${location.origin}/pagemcp/index.js`)) as typeof Package
      const { mcp } = window as unknown as { mcp: PageMcp }
      const url = JSON.parse(atob(link.slice('#pagemcp='.length))).url as string
      return mcp.connect(webSocket(url, { invitation: link })).joined.catch(({ reason }) => reason)
    }, link)
    assert.equal(refused, 'refused')

    await tab.evaluate('mcp.close()')
    await stateOf(tab, 'closed')
  } finally {
    await node?.close()
    await site.close()
    await remove()
  }
}

inBrowsersOf(certificate, 'a page at a hosted gateway', story)
