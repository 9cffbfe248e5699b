// A tab is closed for good and opened again later: the same name, the same URIs, and whoever subscribed hears of it.
// gateway.md §3, "page closed for good".

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { classic, joinedAs, set, setting } from './kit.ts'

inBrowsers('a tab that is opened again has its name and its subscribers', async (browser) => {
  const at = await setting() // of its own: a new tab takes the oldest name that is free
  try {
    const { page, name } = await at.open(browser)
    const client = await classic(at.gateway)
    const uri = `${name}+app://count`
    await client.subscribe(uri)
    await page.close()
    // A read waits for a page that reloads; when it fails, the name may be taken over.
    await assert.rejects(client.read(uri), /away/)
    const announced = client.update(uri)
    const again = await browser.open(at.url) // another page id: sessionStorage went with the tab
    assert.equal(await joinedAs(again), name)
    await announced
    const changed = client.update(uri)
    await set(again, 5)
    await changed
    assert.equal(await client.read(uri), '5')
    // Two live tabs never swap: the next one has a name of its own.
    const other = await browser.open(at.url)
    assert.notEqual(await joinedAs(other), name)
    await client.close()
  } finally {
    await at.close()
  }
})
