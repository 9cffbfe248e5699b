/** The drop: files in the browser's private file system, which assistants read. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { useGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { polling, readText, untilShown } from './reading.ts'

const gateway = useGateway()

/** Waits until these files are listed, in any order. */
const untilListed = (page: Page, ...wanted: string[]) => untilShown(page, '#list .name', wanted)

/** Drops files, as if they came from the desktop. */
async function dropFiles(page: Page, files: { [name: string]: string }) {
  await page.evaluate((files) => {
    const dataTransfer = new DataTransfer()
    for (const [name, text] of Object.entries(files)) dataTransfer.items.add(new File([text], name))
    const zone = document.getElementById('zone')
    for (const type of ['dragenter', 'dragover', 'drop']) {
      zone?.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    }
  }, files)
}

const samples = ['recipe.md', 'expenses.csv', 'settings.json']

inBrowsers(
  'an assistant lists and reads the files, and sees a new one at once',
  async ({ open }) => {
    const { pages } = await gateway().fresh()
    const page = await open(pages.drop ?? '')
    const name = await joined(page)
    await page.click('#samples')
    await untilListed(page, ...samples)
    assert.match(await readText(gateway(), `${name}+drop:///recipe.md`), /Pear tart/)
    await dropFiles(page, { 'recipe.md': '# Apple pie' })
    await page.waitForFunction(
      () => document.querySelector('#list .name')?.textContent === 'recipe.md', // the newest
      { polling },
    )
    assert.equal(await readText(gateway(), `${name}+drop:///recipe.md`), '# Apple pie')
    await page.waitForFunction(
      () =>
        /read \d/.test(document.querySelector('[data-uri$="recipe.md"] .read')?.textContent ?? ''),
      { polling },
    )
    // The assistant may have an answer before the page shows that it was read.
    await untilShown(page, '#log .what', ['recipe.md', 'recipe.md'])
  },
)
