// Pages in browsers at a node of the hosted gateway over TLS, and assistants with OAuth clients of their own.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestBrowser } from '../harness/browsers.ts'
import { bundled } from '../harness/bundled.ts'
import { head } from '../harness/kit.ts'
import { browserUnderTest } from '../harness/launch.ts'
import { type Served, serve } from '../harness/serve.ts'
import { type Hosted, joinedAs, openPage, startHosted } from './kit.ts'
import { classic, expire, login, modern, signIn } from './user.ts'

const timeout = 60_000 // ms
const scopes = 'resources:read prompts:get tools:call'

let hosted: Hosted
let site: Served // of an assistant in a browser
before(
  async () => {
    const script = await bundled('hosted/assistant-page.ts')
    const page = `${head}<title>Assistant</title><script type="module" src="/main.js"></script>`
    site = await serve({ files: { '/': page, '/main.js': script } })
    hosted = await startHosted({ config: { assistants: { origins: [site.origin] } } })
  },
  { timeout: 300_000 },
)
after(async () => {
  await hosted?.close()
  await site?.close()
})

const browser = browserUnderTest
test(`an assistant sees the page of its user alone (${browser})`, { timeout }, () =>
  hosted.inBrowser(browser, async (tabs) => {
    const { page, name } = await openPage(hosted, tabs, 'alice')
    assert.match(name, /^shop-[a-z2-7]{6}$/)
    const uri = `${name}+shop://list`
    const alice = await login(hosted, 'alice')
    const { client } = await modern(hosted.mcp, alice)
    const [url] = alice.authorizations
    assert.deepEqual(
      ['resource', 'scope', 'code_challenge_method'].map((one) => url?.searchParams.get(one)),
      [hosted.mcp, scopes, 'S256'],
    )
    const read = async () => {
      const { contents } = await client.readResource({ uri })
      return contents[0] && 'text' in contents[0] ? contents[0].text : undefined
    }
    assert.equal(await read(), 'milk\nbread')

    const updated = Promise.withResolvers<string>()
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updated.resolve(params.uri)
    })
    const subscription = await client.listen({ resourceSubscriptions: [uri] })
    await page.type('#list', '\neggs')
    assert.equal(await updated.promise, uri)
    assert.match((await read()) ?? '', /eggs/)
    await subscription.close()
    const added = await client.callTool({ name: `${name}__add`, arguments: { item: 'tea' } })
    assert.equal(added.isError ?? false, false, JSON.stringify(added))
    assert.match(await page.$eval('#list', (list) => (list as HTMLTextAreaElement).value), /tea/)

    const other = (await modern(hosted.mcp, await login(hosted, 'bob'))).client
    assert.deepEqual((await other.listResources()).resources, [])
    await assert.rejects(other.readResource({ uri }), /The page is away/)
    assert.doesNotMatch(JSON.stringify(await other.listTools()), /shop-/)
    await other.close()
    await client.close()

    await readInBrowser(tabs, name)
  }),
)

/** An assistant that is a web page itself reads if its origin is listed. */
async function readInBrowser({ context }: TestBrowser, name: string) {
  const cookie = await hosted.cookie('alice')
  for (const [origin, expected] of [
    [site.origin, /milk/],
    [site.otherOrigin, /^TypeError/], // CORS
  ] as const) {
    const page = await context.newPage() // and not `open`: Firefox reports what CORS forbids as an error of the page
    await page.goto(`${origin}/`)
    await page.exposeFunction('signIn', async (url: string) => `${await signIn(url, cookie)}`)
    await page.waitForFunction('window.readAs', { polling: 50 })
    const story = `readAs('${hosted.mcp}', '${name}+shop://list').catch(String)`
    assert.match((await page.evaluate(story)) as string, expected)
    await page.close()
  }
}

test('clients of the SDKs refresh tokens that have expired', { timeout }, () =>
  hosted.inBrowser('chromium', async (tabs) => {
    const { name } = await openPage(hosted, tabs, 'alice')
    const uri = `${name}+shop://list`
    for (const connect of [classic, modern]) {
      const alice = await login(hosted, 'alice')
      const { client, transport } = await connect(hosted.mcp, alice)
      const session = transport.sessionId
      await expire(hosted, alice)
      const expired = alice.tokens?.access_token
      assert.match(JSON.stringify(await client.readResource({ uri })), /milk/)
      assert.notEqual(alice.tokens?.access_token, expired)
      assert.equal(transport.sessionId, session)
      await client.close()

      await expire(hosted, alice)
      const again = await connect(hosted.mcp, alice, false)
      assert.match(JSON.stringify(await again.client.readResource({ uri })), /milk/)
      await again.client.close()
      assert.equal(alice.authorizations.length, 1, 'the user has signed in once')
    }
  }),
)

test(
  'a page outlives the node, and the outage of the token endpoint; a session of a node without a store does not',
  { timeout },
  () =>
    hosted.inBrowser('chromium', async (tabs) => {
      const { page, name } = await openPage(hosted, tabs, 'alice')
      const uri = `${name}+shop://list`
      const alice = await login(hosted, 'alice')
      const { client } = await classic(hosted.mcp, alice)
      assert.match(JSON.stringify(await client.readResource({ uri })), /milk/)
      await page.type('#list', '\neggs')
      const asked = page.waitForResponse((response) => response.status() === 503) // for a token
      await hosted.restart(async () => {
        await hosted.control({ tokens: 'fail' })
        await page.waitForSelector('#state[data-is="away"]')
      })
      await asked
      await hosted.control({ tokens: 'work' })
      assert.equal(await joinedAs(page), name)
      await assert.rejects(client.readResource({ uri }), { code: 404 })
      const next = await classic(hosted.mcp, await login(hosted, 'alice'))
      assert.match(JSON.stringify(await next.client.readResource({ uri })), /eggs/)
      assert.equal(alice.authorizations.length, 1)
      await next.client.close()
      await client.close()
    }),
)
