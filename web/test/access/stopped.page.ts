/**
 * What the user stops in one tab of an app gives nothing at a gateway, of another tab and of one that is closed. How engine
 * and gateway decide in each state of a tab is tested without a browser (`TestWhatIsStoppedGivesNothing`).
 */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'puppeteer-core'
import type { PageMcp } from '../../src/start.ts'
import { servePages } from '../core/browser/built.ts'
import { askUntil } from '../e2e/again.ts'
import { pageUrl, program, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'

declare const mcp: PageMcp

const app = `
const { start } = await import('/pagemcp/index.js')
const mcp = window.mcp = start({ name: 'notes', access: 'ask' })
mcp.resource('notes://value', { name: 'Value' }, 'the secret')
mcp.resource('notes://function', { name: 'Function' }, () => 'the secret')
window.ready = await mcp.connect(new URLSearchParams(location.search).get('gateway')).joined`

inBrowsers('what the user stops in one tab gives nothing, of no tab', async ({ open }) => {
  const site = await servePages({ '/app.html': app })
  const gateway = await startGateway({ command: 'serve', args: [`--allow-origin=${site.origin}`] })
  const command = async (...args: string[]) => {
    const all = [...args, `--state=${gateway.state}`]
    return (await promisify(execFile)(program, all, { timeout: 20_000 })).stdout.trim()
  }
  const join = async (hash = ''): Promise<Page> => {
    const query = `?gateway=${encodeURIComponent(pageUrl(gateway))}`
    const tab = await open(`${site.origin}/app.html${query}${hash}`)
    await tab.waitForFunction('window.ready', { polling: 50 })
    return tab
  }
  try {
    const asked = await join(new URL(await command('pair', site.origin)).hash)
    const name = String(await asked.evaluate('ready'))
    const deciding = await join()
    const gives = async (uri: string, is: boolean) => {
      const read = () => post(gateway, 'resources/read', { uri }, name)
      await askUntil(`${uri} ${is}`, read, (answer) => answer.includes('the secret') === is)
    }
    const allow = () => deciding.evaluate(() => mcp.access.allow('unnamed', 'read', 'always'))
    const stop = () => deciding.evaluate(() => mcp.access.revoke('unnamed'))

    await allow()
    for (const uri of ['notes://value', 'notes://function']) await gives(uri, true)
    await stop()
    for (const uri of ['notes://value', 'notes://function']) await gives(uri, false)
    await allow()
    await gives('notes://value', true)
    await stop()
    await asked.close()
    const status = async () => JSON.parse(await command('status', '--json'))
    const isLeft = ({ pages }: { pages: { name: string; connected: boolean }[] }) =>
      pages.every((one) => one.name !== name || !one.connected)
    await askUntil(`${name} to leave`, status, isLeft)
    const read = await post(gateway, 'resources/read', { uri: 'notes://value' }, name)
    assert.doesNotMatch(read, /the secret/)
  } finally {
    await gateway.close()
    await site.close()
  }
})
