// The gateway is away for so long that the official TypeScript clients of older revisions give up their GET stream. Their
// subscriptions stay: `updated` comes on the stream of their next POST, for what changed before the restart and after.
// MCP 2025-11-25, basic/transports: messages may precede the response. gateway.md §3, "gateway restarts".

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { inBrowsers } from '../harness/browsers.ts'
import { away, joinedAs, type Setting, set, setting } from './kit.ts'
import { legacy } from './legacy.ts'

let at: Setting
before(
  async () => {
    at = await setting()
  },
  { timeout: 300_000 },
)
after(() => at?.close())

for (const sdk of ['v1', 'v2'] as const) {
  inBrowsers(
    `an SDK ${sdk} client that gave up its stream hears with its next POST`,
    async (browser) => {
      const { page, name } = await at.open(browser)
      const client = await legacy(sdk, at.gateway)
      const uri = `${name}+app://count`
      await client.subscribe(uri)
      await at.kill()
      await away(page)
      await set(page, 1) // the gateway cannot hear this
      await client.gaveUp
      const missed = client.update(uri)
      await at.restart()
      assert.equal(await joinedAs(page), name)
      await client.postUntil(missed)
      assert.equal(await client.read(uri), '1')
      const changed = client.update(uri)
      await set(page, 2)
      await client.postUntil(changed)
      assert.equal(await client.read(uri), '2')
      await client.close()
    },
    { only: ['chromium'] }, // what is tested is the client
  )
}
