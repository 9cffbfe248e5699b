/** The reader: an article that shows which part of it an assistant has read, and keeps what is typed to itself. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { listUntil } from '../e2e/again.ts'
import { post, useGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { textOf } from './reading.ts'

const gateway = useGateway()

/** Asks the page as an assistant does. */
const ask = (name: string, method: string, params?: { uri?: string }) =>
  post(gateway(), method, params, name)

const isRead = (page: Page, part: string) =>
  page.$eval(`.mark[data-part=${part}]`, (one) => one.hasAttribute('data-read'))

async function openReader(open: (url: string) => Promise<Page>) {
  const page = await open((await gateway().fresh()).pages.reader ?? '')
  return { page, name: await joined(page) }
}

inBrowsers('the section that an assistant reads is marked, and no other', async ({ open }) => {
  const { page, name } = await openReader(open)
  assert.match(
    await ask(name, 'resources/read', { uri: 'page:///table/markdown' }),
    /\| Refrigerator \| 5 °C/,
  )
  await page.waitForSelector('.mark[data-part=table][data-read]')
  assert.deepEqual([await isRead(page, 'opening'), await isRead(page, 'order')], [false, false])
  assert.equal(await textOf(page, '#tally'), '1 of 4 sections have been read.')
  assert.equal(await textOf(page, '#log code'), 'page:///table/markdown')
  assert.match(await ask(name, 'resources/read', { uri: 'page:///text' }), /Let the bread wait/)
  await page.waitForSelector('.mark[data-part=opening][data-read]')
  assert.equal(await textOf(page, '#tally'), '4 of 4 sections have been read.')
})

inBrowsers('what is typed stays in the page; what is selected is offered', async ({ open }) => {
  const { page, name } = await openReader(open)
  await page.type('[name=email]', 'canary@example.org')
  await page.type('[name=card]', '4111canary')
  await page.type('#notes', 'canary of my own')
  await page.click('#larger')
  await page.evaluate(() => {
    const sentence = document.querySelector('#opening .standfirst')
    if (sentence) getSelection()?.selectAllChildren(sentence)
  })
  const others = ['skill://read-along/SKILL.md', 'storage:///local/reader.size']
  const list = async () => {
    const { result } = JSON.parse(await ask(name, 'resources/list'))
    return (result.resources as { uri: string }[]).map(({ uri }) => uri)
  }
  const uris = await listUntil(list, ...others, 'page:///selection')
  assert.deepEqual(
    uris.filter((uri) => !uri.startsWith('page:///')),
    others,
  )
  const texts: { [uri: string]: string } = {}
  for (const uri of uris) texts[uri] = await ask(name, 'resources/read', { uri })
  assert.doesNotMatch(JSON.stringify(texts), /canary|autumn-letter|Your notes/)
  assert.match(texts['page:///selection'] ?? '', /four ingredients and a night/)
  assert.match(texts['page:///order/outline'] ?? '', /Card number/)
  assert.match(texts['page:///meta'] ?? '', /Cold fermentation/)
  assert.match(texts['storage:///local/reader.size'] ?? '', /large/)
  assert.match(await textOf(page, '#selection'), /four ingredients/)
})

inBrowsers('the page fits a phone and a desk, and says when it is not paired', async ({ open }) => {
  const page = await open(`${gateway().web}demo/reader/`)
  await page.waitForSelector('#state[data-is=unpaired]')
  assert.match(await textOf(page, '#advice'), /pagemcp dev/)
  for (const width of [360, 1400]) {
    await page.setViewport({ width, height: 800 })
    const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
    assert.equal(fits, true, `at ${width}`)
  }
})
