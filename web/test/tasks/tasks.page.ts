/** A task through the ends of its page and its gateway, with a question in the middle. */

import assert from 'node:assert/strict'
import type { AuditEntry } from '../../src/page-access.ts'
import type { PageMcp } from '../../src/start.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { answer, asks, completed, create, joined, request, until, useTaskApp } from './app.ts'

declare const mcp: PageMcp

const app = useTaskApp()

inBrowsers(
  'a task with an open question outlives its gateway, which is killed',
  async (browser) => {
    const { gateway, invited, restart } = app()
    const page = await browser.open(await invited())
    const tab = await joined(page)
    await page.evaluate(() => localStorage.clear())
    const id = await create(gateway, `${tab}work`)
    await asks(gateway, id)
    const next = await restart(() => page.waitForSelector('body:not([data-is="joined"])'))
    const early = await request(next, 'tasks/get', { taskId: id })
    assert.match(String(early.result?.status), /^(working|input_required)$/, JSON.stringify(early))
    assert.equal(await joined(page), tab)
    await answer(next, id)
    await completed(next, id)
    assert.equal(await page.evaluate(() => localStorage['second steps']), '1')
    await page.close()
  },
)

const allow = `[...(globalThis.dialog?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === 'Allow this time')`

inBrowsers('a call that waits for the user is a task', async ({ open }) => {
  const { gateway, invited } = app()
  const page = await open((await invited()).replace('/#', '/?access=ask#'))
  const tab = await joined(page)
  await page.evaluate(() => localStorage.clear())
  const id = await create(gateway, `${tab}work`)
  const waits = await until(gateway, id, 'waits for the user', ({ statusMessage }) =>
    String(statusMessage).startsWith('Waits for the user to allow this'),
  )
  assert.equal(waits.result?.status, 'working')
  await page.waitForFunction(allow)
  assert.equal(await page.evaluate(() => localStorage.runs), undefined)
  const shown = await page.evaluate('performance.now()')
  await page.waitForFunction(`performance.now() > ${shown} + 600`) // it takes clicks then
  const at = `(() => { const { x, y, width, height } = ${allow}.getBoundingClientRect(); return [x + width / 2, y + height / 2] })()`
  const [x, y] = (await page.evaluate(at)) as [number, number]
  await page.mouse.click(x, y)
  await answer(gateway, id)
  await completed(gateway, id)
  assert.equal(await page.evaluate(() => localStorage.runs), '1')
  // Decisions are stored after they were made.
  const stored = await page.waitForFunction(
    async () => {
      const calls = (await mcp.access.audit()).filter(({ method }) => method === 'tools/call')
      return calls.length > 0 && calls
    },
    { polling: 100 },
  )
  const audit = (await stored.jsonValue()) as readonly AuditEntry[]
  assert.deepEqual(
    audit.map(({ what, task, allow, reason }) => ({ what, task, allow, reason })),
    [{ what: 'work', task: id.slice(tab.length), allow: true, reason: 'asked' }],
  )
  await page.close()
})
