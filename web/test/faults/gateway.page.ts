// The gateway is killed and started again, once and several times, while assistants of both eras listen and pages stay
// open: no manual step, and nothing is lost (P3, P4). gateway.md §3.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { inBrowsers } from '../harness/browsers.ts'
import { away, classic, joinedAs, modern, type Setting, set, setting } from './kit.ts'

let at: Setting
before(
  async () => {
    at = await setting()
  },
  { timeout: 300_000 },
)
after(() => at?.close())

for (const [era, connect] of Object.entries({ classic, modern })) {
  inBrowsers(`kill -9 and restart, under a ${era} client`, async (browser) => {
    const { page, name } = await at.open(browser)
    const client = await connect(at.gateway)
    const uri = `${name}+app://count`
    await client.subscribe(uri)
    for (let round = 1; round <= 2; round++) {
      await at.kill()
      await away(page)
      await set(page, round) // the gateway cannot hear this
      const announced = client.update(uri)
      await at.restart()
      assert.equal(await joinedAs(page), name)
      await announced
      assert.equal(await client.read(uri), String(round))
      const changed = client.update(uri)
      await set(page, 100 + round)
      await changed
      assert.equal(await client.read(uri), String(100 + round))
    }
    await client.close()
  })
}

inBrowsers('two pages keep their own names when the gateway restarts', async (browser) => {
  const first = await at.open(browser)
  const second = await at.open(browser)
  assert.notEqual(first.name, second.name)
  await set(first.page, 1)
  await set(second.page, 2)
  await at.kill()
  await Promise.all([away(first.page), away(second.page)])
  await at.restart()
  assert.equal(await joinedAs(second.page), second.name)
  assert.equal(await joinedAs(first.page), first.name)
  const client = await modern(at.gateway)
  assert.equal(await client.read(`${first.name}+app://count`), '1')
  assert.equal(await client.read(`${second.name}+app://count`), '2')
  await client.close()
})
