/** What an assistant read and was denied, in the room of the gateway and as rows of the log. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before } from 'node:test'
import { promisify } from 'node:util'
import { type Gateway, program, startGateway } from '../../e2e/gateway.ts'
import { axe, violations } from '../../harness/axe.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { post } from '../../harness/client.ts'
import { saw } from '../harness.ts'
import { connection, openGateway } from './dialog.ts'

let gateway: Gateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway?.close())

/** Runs a command of the program at this gateway. */
async function pagemcp(...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [...words, '--state', gateway.state])
  return stdout.trim()
}

/** Reads as a client whose name a spreadsheet would take for a formula. */
function read(token: string, uri: string): Promise<string> {
  const _meta = { 'io.modelcontextprotocol/clientInfo': { name: '=Reader', version: '1' } }
  return post({ mcp: gateway.mcp, token }, 'resources/read', { uri, _meta })
}

inBrowsers(
  'what an assistant read, and what it was denied, is summed up, and a row of the log',
  async ({ name: browser, open }) => {
    const { start } = await gateway.fresh()
    await (await open(start)).waitForSelector('#state[data-is=paired]')
    const notes = await open(`${gateway.web}demo/notes/`)
    await notes.waitForSelector('#state[data-is=joined]')
    const page = /^Joined as (.+)$/.exec(
      (await notes.$eval('#state-text', (one) => one.textContent)) ?? '',
    )?.[1]
    const reader = `reader-${browser}`
    const token = await pagemcp('token', 'add', reader, '--app', String(page))
    const uri = `${page}+idb:///notes-app/notes/n.2`
    assert.match(await read(token, uri), /Chickpeas/) // before the playground is open

    const tab = await open(`${gateway.web}playground/index.html?quiet&lang=en`)
    await tab.waitForSelector('html[data-ready]')
    await openGateway(tab)
    await saw(tab, '.connections-uses tr', reader)
    const other = 'other+idb:///secret'
    assert.match(await read(token, other), /Resource not found/)
    await saw(tab, '.connections-uses tr', 'rights')
    const rows = await tab.$$eval('.connections-uses tbody tr', (all) =>
      all.map((row) =>
        [...row.children]
          .slice(0, 5)
          .map((cell) => (cell.querySelector('summary') ?? cell).textContent?.trim()),
      ),
    )
    assert.deepEqual(
      rows.filter(([who]) => who === reader),
      [
        [reader, 'other', '0', '0', '1 rights'],
        [reader, page, '1', '0', '0'],
      ],
    )
    await tab.evaluate(axe)
    assert.deepEqual(await violations(tab, '.front'), [])
    await saw(tab, '.connections-pause code', 'pagemcp pause')
    await pagemcp('pause', '20m')
    await saw(tab, '.connections-pause code', 'pagemcp resume')
    await pagemcp('resume')
    await saw(tab, '.connections-pause code', 'pagemcp pause')

    await tab.click('[data-audit]')
    await connection(tab, 'Audit log')
    await saw(tab, '[data-pane=timeline]', uri) // of before the playground was open
    await saw(tab, '[data-pane=timeline]', `${other} of other, denied: rights`)
    assert.doesNotMatch(await tab.evaluate(() => document.body.textContent ?? ''), /Chickpeas/)
  },
)
