// A connection between page and gateway swallows one direction or both, and neither side gets an end: the gateway drops
// the page after 40 s, and the page is back by itself, or at its next wake if it could not hear that. gateway.md §3.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { close, launch } from '../harness/launch.ts'
import { classic, joinedAs, set, setting } from './kit.ts'
import { type Link, proxy } from './proxy.ts'

/** The gateway gives a silent page 40 s, and a page a silent gateway 45 s. */
const patience = 90_000 // ms

const cases = [
  ['up'], // the gateway's end reaches the page
  ['down'],
  ['up', 'down'],
] as const

/** The invitation's address by another name: Chromium is told that `localhost` is the proxy's address. */
function throughProxy(hash: string): string {
  const [name, value = ''] = hash.split('=')
  const invitation = JSON.parse(Buffer.from(value, 'base64url').toString()) as { url: string }
  const url = invitation.url.replace('127.0.0.1', 'localhost')
  assert.notEqual(url, invitation.url)
  return `${name}=${Buffer.from(JSON.stringify({ ...invitation, url })).toString('base64url')}`
}

test('a half-open connection ends on both sides (chromium)', { timeout: 150_000 }, async () => {
  const at = await setting()
  const between = await proxy('127.0.0.2', Number(new URL(at.gateway.mcp).port))
  const browser = await launch('chromium', {
    flags: ['--host-resolver-rules=MAP localhost 127.0.0.2'],
  })
  const client = await classic(at.gateway)
  try {
    const pages: { page: Page; name: string; link: Link }[] = []
    for (const _ of cases) {
      const page = await browser.newPage()
      const { hash } = new URL((await at.gateway.fresh()).pages.notes ?? '')
      await page.goto(at.url + throughProxy(hash))
      pages.push({ page, link: await between.next(patience), name: await joinedAs(page) })
    }
    const uris = pages.map(({ name }) => `${name}+app://count`)
    await client.subscribe(...uris)
    const began = performance.now()
    for (const [i, { page, link }] of pages.entries()) {
      link.swallow(cases[i] ?? [])
      await set(page, 7 + i) // where nothing goes up, the gateway cannot hear this
    }
    const announced = client.updates(uris, patience)
    announced.catch(() => {}) // awaited below
    await Promise.all(pages.map(({ link }) => link.dropped))
    const dropped = performance.now() - began
    // A page that hears nothing notices at a wake, once its gateway was silent for 45 s.
    for (const { page } of pages) {
      await page.evaluate(`void setInterval(() => dispatchEvent(new Event('online')), 500)`)
    }
    for (const _ of pages) await between.next(patience)
    const back = performance.now() - began
    await announced
    for (const [i, { page, name }] of pages.entries()) {
      assert.equal(await joinedAs(page), name)
      assert.equal(await client.read(uris[i] ?? ''), String(7 + i))
    }
    console.log(
      `RELIABILITY\thalf-open: dropped, and all pages back\t40 s, 46 s\t${(dropped / 1000).toFixed(1)} s, ${(back / 1000).toFixed(1)} s`,
    )
  } finally {
    await client.close()
    await close(browser)
    await between.close()
    await at.close()
  }
})
