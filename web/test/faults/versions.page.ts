// Page and gateway are of two minor versions, either way round: the page joins and is served like any other. R18 of
// security.md.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { listUntil } from '../e2e/again.ts'
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

/** What the hello of another version has: members that this one does not know, and not all that it knows. */
const hellos = {
  older: { engine: '0.0.9', title: null, url: null },
  newer: { engine: '0.2.0', storage: { kind: 'opfs' }, since: 17 },
}

for (const [version, hello] of Object.entries(hellos)) {
  inBrowsers(`a page that is one minor version ${version} is served`, async (browser) => {
    const query = `?worker=false&hello=${encodeURIComponent(JSON.stringify(hello))}`
    const { page, name } = await at.open(browser, query)
    const said = (await page.evaluate('hellos')) as { [name: string]: unknown }[]
    assert.equal(said[0]?.engine, hello.engine)
    assert.equal('title' in (said[0] ?? {}), version === 'newer')
    const uri = `${name}+app://count`
    for (const connect of [classic, modern]) {
      const client = await connect(at.gateway)
      await listUntil(client.list, uri)
      await set(page, 1)
      assert.equal(await client.read(uri), '1')
      await client.subscribe(uri)
      const changed = client.update(uri)
      await set(page, 2)
      await changed
      assert.equal(await client.read(uri), '2')
      assert.match(JSON.stringify(await client.call(`${name}__answer`)), /answered/)
      await client.close()
    }
    // It joins again by its key after a restart.
    await at.kill()
    await away(page)
    await at.restart()
    assert.equal(await joinedAs(page), name)
  })
}
