// What becomes of a page: reload while it works, another version of itself, bfcache, freeze, a hidden tab, the end and
// a new beginning. The assistant keeps name, URIs and subscriptions. gateway.md §3.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { inBrowsers } from '../harness/browsers.ts'
import { classic, joinedAs, modern, type Setting, set, setting } from './kit.ts'

let at: Setting
before(
  async () => {
    at = await setting()
  },
  { timeout: 300_000 },
)
after(() => at?.close())

inBrowsers(
  'a reload: reads in flight are answered once, calls in flight are interrupted',
  async (browser) => {
    const { page, name } = await at.open(browser)
    const client = await classic(at.gateway)
    const reading = client.read(`${name}+app://hold`)
    const calling = client.call(`${name}__hold`).then(
      () => assert.fail('a call that was cut off has an answer'),
      (error: { data?: { reason?: string; retry?: boolean } }) => error,
    )
    await page.waitForFunction('calls === 2')
    await page.reload()
    const { data } = await calling
    assert.deepEqual([data?.reason, data?.retry], ['interrupted', false])
    assert.equal(await joinedAs(page), name)
    await page.waitForFunction('calls === 1') // the read has come again, the call has not
    await page.evaluate('release()')
    assert.equal(await reading, 'released')
    assert.equal(await page.evaluate('calls'), 1)
    await client.close()
  },
)

inBrowsers('back and forward: the page comes back as itself', async (browser) => {
  const { page, name } = await at.open(browser)
  const client = await modern(at.gateway)
  await client.subscribe(`${name}+app://count`)
  await set(page, 1)
  for (let round = 0; round < 2; round++) {
    await page.goto(`${at.site.origin}/other.html`)
    const announced = client.update(`${name}+app://count`)
    await page.goBack()
    assert.equal(await joinedAs(page), name)
    // The engine lives on in the bfcache; where the browser did not keep the page, it begins anew.
    const changed = client.update(`${name}+app://count`)
    await set(page, 10 + round)
    await Promise.race([announced, changed])
    assert.equal(await client.read(`${name}+app://count`), String(10 + round))
  }
  await client.close()
})

inBrowsers('a hidden tab answers, and says what changes', async (browser) => {
  const { page, name } = await at.open(browser)
  const client = await classic(at.gateway)
  await client.subscribe(`${name}+app://count`)
  await (await browser.context.newPage()).bringToFront()
  assert.equal(await page.evaluate('document.visibilityState'), 'hidden')
  if (browser.name === 'chromium') {
    // Timers of a hidden tab run once a minute under this; the engine's do not, in their Worker.
    await (await page.createCDPSession()).send('Emulation.setCPUThrottlingRate', { rate: 4 })
  }
  for (let value = 1; value <= 3; value++) {
    const changed = client.update(`${name}+app://count`)
    await set(page, value)
    await changed
    assert.equal(await client.read(`${name}+app://count`), String(value))
  }
  await client.close()
})
