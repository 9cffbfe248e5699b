/** Access and audit, at a gateway: what an assistant read and was denied appears, is filtered, and exported. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'puppeteer-core'
import { type Gateway, program, startGateway } from '../../e2e/gateway.ts'
import { axe, violations } from '../../harness/axe.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { post } from '../../harness/client.ts'
import { press, saw } from '../harness.ts'
import { command } from '../rooms.ts'

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

/** The texts of the rows of a table, by its place. */
const rowsOf = (page: Page, table: number) =>
  page.$$eval(
    '.audit-table',
    (all, table) =>
      [...(all[table]?.querySelectorAll('tbody tr') ?? [])].map((row) =>
        [...row.children].map((cell) => cell.textContent?.trim() ?? ''),
      ),
    table,
  )

/** The file that a button saves: it is not written, but read from the page. */
async function saved(page: Page, kind: string): Promise<string> {
  return page.evaluate(async (kind) => {
    const before = URL.createObjectURL
    const blob = new Promise<Blob>((resolve) => {
      URL.createObjectURL = (one) => {
        resolve(one as Blob)
        return before.call(URL, one)
      }
    })
    document.querySelector<HTMLElement>(`dialog [data-export=${kind}]`)?.click()
    const text = await (await blob).text()
    URL.createObjectURL = before
    return text
  }, kind)
}

inBrowsers(
  'what an assistant read, and what it was denied, appears, is filtered, and exported',
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
    await command(tab, 'audit.open')
    await saw(tab, 'dialog .audit-table tr', uri)
    const other = 'other+idb:///secret'
    assert.match(await read(token, other), /Resource not found/)
    await saw(tab, 'dialog .audit-table tr[data-decision=denied]', other)

    assert.deepEqual(
      (await rowsOf(tab, 0)).filter(([who]) => who === reader).map((row) => row.slice(0, 5)),
      [
        [reader, 'other', '0', '0', '1 rights'],
        [reader, page, '1', '0', '0'],
      ],
    )
    await tab.select('select[name=assistant]', reader)
    await saw(tab, 'dialog [role=status]', '2 requests')
    assert.deepEqual(
      (await rowsOf(tab, 1)).map((row) => row.slice(1, 8)),
      [
        [reader, 'other', 'read', 'resources/read', other, 'denied -32602', 'rights'],
        [reader, page, 'read', 'resources/read', uri, 'allowed', ''],
      ],
    )
    await tab.select('select[name=decision]', 'denied')
    await saw(tab, 'dialog [role=status]', '1 request')
    assert.equal((await rowsOf(tab, 1)).length, 1)
    const csv = await saved(tab, 'csv')
    assert.match(csv, /^time,who,client,.*\r\n[^\n]*\r\n$/)
    assert.ok(
      csv.includes(`,${reader},'=Reader,/mcp,resources/read,${other},other,read,-32602,rights,`),
    )
    await press(tab, '.audit-table button', reader) // of the row of the page that it used last
    await saw(tab, 'dialog [role=status]', '1 request')
    assert.equal(
      await tab.$eval('select[name=app]', (one) => (one as HTMLSelectElement).value),
      'other',
    )
    await tab.select('select[name=app]', '')
    await tab.focus('dialog input[name=text]')
    await tab.keyboard.type('N.2')
    await saw(tab, 'dialog [role=status]', '1 request')
    const [line, end] = (await saved(tab, 'jsonl')).split('\n')
    assert.equal(end, '')
    assert.equal((JSON.parse(line ?? '') as { uri: string }).uri, uri)
    assert.doesNotMatch(await tab.evaluate(() => document.body.textContent ?? ''), /Chickpeas/)

    await press(tab, '.audit-table button', reader)
    await tab.select('select[name=app]', '')
    await saw(tab, 'dialog [role=status]', '2 requests')
    await tab.evaluate(axe)
    assert.deepEqual(await violations(tab, 'dialog'), [])

    await saw(tab, 'dialog .audit-row code', 'pagemcp pause')
    await pagemcp('pause', '20m')
    await saw(tab, 'dialog .audit-row code', 'pagemcp resume')
    await pagemcp('resume')
    await saw(tab, 'dialog .audit-row code', 'pagemcp pause')
  },
)
