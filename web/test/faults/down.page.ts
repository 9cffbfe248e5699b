// The Go program has ended four times within a minute, and is not started again: assistants learn that at once, and that
// another try is of no use. security.md §5, R11.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { post } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { joinedAs, type Setting, setting } from './kit.ts'

let at: Setting
before(
  async () => {
    at = await setting()
  },
  { timeout: 300_000 },
)
after(() => at?.close())

inBrowsers('reads of a page whose engine is down are answered at once', async (browser) => {
  const { page, name } = await at.open(browser, '?worker=false&fragile')
  for (let round = 0; round < 4; round++) {
    await page.evaluate('crash()')
    if (round === 3) break
    await page.waitForFunction("mcp.state.engine === 'running'")
    assert.equal(await joinedAs(page), name)
  }
  await page.waitForFunction("mcp.state.engine === 'down'")
  for (let read = 0; read < 3; read++) {
    const answer = await post(at.gateway, 'resources/read', { uri: `${name}+app://value` })
    assert.match(answer, /"reason":"down","retry":false/)
  }
})

inBrowsers('a page that joins with an engine that is down says so, too', async (browser) => {
  const { page, name } = await at.open(browser, '?worker=false&fragile')
  for (let round = 0; round < 4; round++) {
    await page.evaluate('crash()')
    if (round < 3) await page.waitForFunction("mcp.state.engine === 'running'") // it may not have joined again
  }
  await page.waitForFunction("mcp.state.engine === 'down'")
  await at.kill()
  await at.restart()
  assert.equal(await joinedAs(page), name)
  for (let read = 0; read < 3; read++) {
    const answer = await post(at.gateway, 'resources/read', { uri: `${name}+app://value` })
    assert.match(answer, /"reason":"down","retry":false/)
  }
})
