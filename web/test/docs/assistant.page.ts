/** The documentation is a page of a gateway once the visitor wants that: assistants read and search it. */

import assert from 'node:assert/strict'
import { askUntil } from '../e2e/again.ts'
import { useGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'

const gateway = useGateway()

/** Waits until a list of all pages has this. */
const lists = (method: string, part: string) =>
  askUntil(
    `${part} in ${method}`,
    () => post(gateway(), method),
    (answer) => answer.includes(part),
  )

inBrowsers(
  'an assistant reads and searches the documentation, until it is stopped',
  async ({ open }) => {
    const { start, web } = await gateway().fresh()
    const paired = await open(start)
    await paired.waitForSelector('#state[data-is=paired]')

    const page = await open(`${web}docs/guide.html`)
    await page.waitForSelector('#assistant:not([hidden])')
    assert.equal(await page.$eval('#standing', (one) => one.textContent), '', 'nothing is served')
    await page.click('#assistant')
    await page.waitForSelector('#standing[data-is=joined]')
    const name = /^Joined as (\S+)$/.exec(
      await page.$eval('#standing', (one) => one.textContent ?? ''),
    )?.[1]
    assert.ok(name)

    await lists('resources/list', `"${name}+docs:///guide"`)
    const read = await post(gateway(), 'resources/read', { uri: `${name}+docs:///guide` })
    assert.match(read, /# Guide: add PageMCP to your page/)
    const found = await post(gateway(), 'tools/call', {
      name: `${name}.search_docs`,
      arguments: { query: 'close codes' },
    })
    assert.match(found, /docs:\/\/\/protocol/)
    await lists('skills/list', `"${name}+skill://pagemcp-docs/SKILL.md"`) // which comes after the page has joined

    // It goes on, on the next page.
    await Promise.all([page.waitForNavigation(), page.click('a[rel=next]')])
    await page.waitForSelector('#standing[data-is=joined]')
    await page.click('#assistant')
    await page.waitForSelector('#standing[data-is=stopped]')
    const after = await post(gateway(), 'resources/read', { uri: `${name}+docs:///guide` })
    assert.match(after, /"error":/)
  },
)

inBrowsers('a visitor who is not paired learns what to do', async ({ open }) => {
  const page = await open(`${gateway().web}docs/index.html`)
  await page.waitForSelector('#assistant:not([hidden])')
  await page.$eval('#assistant', (one) => (one as HTMLElement).click()) // a click at a place may miss it while the lesson above it loads
  await page.waitForSelector('#standing[data-is=unpaired]')
  assert.match(await page.$eval('#standing', (one) => one.textContent ?? ''), /pagemcp dev/)
})
