// By each way of a hosted gateway to a page, an assistant, known by its `client_id`, gets what the user has granted, and nothing else. The twin is open.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { PageMcp } from '../../src/start.ts'
import { makeCertificate, trust } from '../core/browser/token-gateway.ts'
import { hostedNode, inBrowsersOf } from '../e2e/hosted.ts'
import type { TestBrowser } from '../harness/browsers.ts'
import { built } from '../harness/build.ts'
import { serve } from '../harness/serve.ts'
import { assistants, policyApp, rights } from './policy.ts'
import { decisionsKnown, disagreements, overHttp } from './ways.ts'

declare const mcp: PageMcp

const certificate = makeCertificate()
trust(certificate.cert)

const script = `${policyApp}
const { webSocket } = await import('/pagemcp/index.js')
const token = async () => (await fetch('/token')).text()
const { joined } = mcp.connect(webSocket(query.get('gateway'), { token }))
await joined
window.place = mcp.state.gateways.at(-1).name`

/** Opens the two apps, decides for their user, and asks by all ways. Returns what the policy does not have. */
async function wrongAnswers({ open }: TestBrowser, access: 'ask' | 'open'): Promise<string[]> {
  const { directory, remove } = await built()
  const files = {
    '/app.html': '<!doctype html><title>App</title><script type="module" src="/app.js"></script>',
    '/app.js': script,
    get '/token'(): string {
      return node?.joinToken('ada', site.origin) ?? ''
    },
  }
  const site = await serve({ directories: { '/pagemcp/': join(directory, 'pagemcp') }, files })
  const limits = { readsPerSecond: 1000, completionsPerSecond: 1000, callsPerSecond: 1000 }
  const node = await hostedNode(certificate, [site.origin], limits)
  const wrong: string[] = []
  try {
    for (const app of ['notes', 'mail'] as const) {
      const at = encodeURIComponent(node.page)
      const tab = await open(`${site.origin}/app.html?app=${app}&access=${access}&gateway=${at}`)
      const page = (await (await tab.waitForFunction('window.place')).jsonValue()) as string
      if (access === 'ask') {
        await tab.evaluate(async (own) => {
          for (const [assistant, rights] of Object.entries(own)) {
            await mcp.access.revoke(`client:${assistant}`) // nothing is asked, and the scope to read is not enough
            for (const right of rights) await mcp.access.allow(`client:${assistant}`, right)
          }
          await mcp.access.allow('client:last', 'read')
        }, rights[app])
        const token = node.accessToken('ada', 'last')
        await decisionsKnown(await overHttp(`${node.url}/mcp/${page}`, 'modern', { token }))
      }
      for (const assistant of assistants) {
        const token = node.accessToken('ada', assistant)
        const one = `${node.url}/mcp/${page}`
        const ways = await Promise.all([
          overHttp(one, 'modern', { token }),
          overHttp(one, 'classic', { token }),
          overHttp(`${node.url}/mcp`, 'modern', { token, toAll: true }),
          overHttp(`${node.url}/mcp`, 'classic', { token, toAll: true }),
        ])
        const found = await disagreements(ways, page, rights[app][assistant])
        wrong.push(...found.map((what) => `${assistant}: ${what}`))
      }
    }
  } finally {
    await node.close()
    await site.close()
    await remove()
  }
  return wrong
}

inBrowsersOf(
  certificate,
  'at a hosted gateway, every method agrees with the decisions of its user',
  async (browser) => assert.deepEqual(await wrongAnswers(browser, 'ask'), []),
)

inBrowsersOf(
  certificate,
  'a hosted gateway answers reads for a user who has consented, until the user revokes that',
  async ({ open }) => {
    const { directory, remove } = await built()
    const files = {
      '/app.html': '<!doctype html><title>App</title><script type="module" src="/app.js"></script>',
      '/app.js': `${script.replace('const { webSocket }', "mcp.resource({ uri: 'note:value', name: 'v' }, 'value')\n$&")}`,
      get '/token'(): string {
        return node?.joinToken('ada', site.origin) ?? ''
      },
    }
    const site = await serve({ directories: { '/pagemcp/': join(directory, 'pagemcp') }, files })
    const node = await hostedNode(certificate, [site.origin], { readsPerSecond: 1000 })
    try {
      const at = encodeURIComponent(node.page)
      const tab = await open(`${site.origin}/app.html?app=notes&access=ask&gateway=${at}`)
      const page = await (await tab.waitForFunction('window.place')).jsonValue()
      const assistant = async (client: string) => {
        const token = node.accessToken('ada', client)
        const way = await overHttp(`${node.url}/mcp/${page}`, 'modern', { token })
        return () => way.ask('resources/read', { uri: 'note:value' })
      }
      const [read, other] = [await assistant('reader'), await assistant('other')]
      const deadline = AbortSignal.timeout(20_000)
      /** Whether the gateway has reported reads that it has answered. */
      const isServed = () =>
        tab.evaluate(async () => (await mcp.access.audit()).some(({ count = 1 }) => count > 1))
      while (!(await isServed())) {
        assert.ok(!deadline.aborted, 'waited for the report of reads that the gateway has answered')
        for (let i = 0; i < 10; i++) assert.match(await read(), /"text":"value"/)
      }
      assert.match(await other(), /"text":"value"/)
      await tab.evaluate(() => mcp.access.revoke('client:reader'))
      const began = performance.now()
      while (!(await read()).includes('"reason":"')) {
        assert.ok(performance.now() - began < 100, 'a read is answered after the user has ended it')
      }
      for (let i = 0; i < 20; i++) assert.match(await read(), /"reason":"(declined|revoked)"/)
      assert.match(await other(), /"text":"value"/)
    } finally {
      await node.close()
      await site.close()
      await remove()
    }
  },
)

inBrowsersOf(
  certificate,
  'an open page at a hosted gateway gives each assistant what its user has denied',
  async (browser) => {
    const wrong = (await wrongAnswers(browser, 'open')).map((one) => one.slice(0, 200))
    for (const what of ['denied: notes', 'stranger: mail', 'reader: notes']) {
      const ways = wrong.filter((one) => one.startsWith(what) && one.includes('tools/call'))
      assert.ok(ways.length >= 4, `${what}: ${wrong.join('\n')}`) // by each of the ways
    }
    assert.ok(!wrong.some((one) => one.includes('may true')), wrong.join('\n'))
  },
)
