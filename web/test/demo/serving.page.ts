/** The world, which only serves: its texts and data are in the language of the page. */

import assert from 'node:assert/strict'
import { post, useGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { readText, textOf } from './reading.ts'

const gateway = useGateway()

inBrowsers('the world speaks the language of the page', async ({ open }) => {
  const { pages } = await gateway().fresh()
  const page = await open(`${pages.world?.replace('#', '?lang=en#')}`)
  const name = await joined(page)
  const texts = await page.$eval('body', (one) => one.textContent ?? '')
  assert.doesNotMatch(
    texts.replace('简体中文', '').replace('日本語', ''),
    /[\u3040-\u30ff\u4e00-\u9fff]/,
  )
  const list = JSON.parse(await post(gateway(), 'resources/list', {}, name)).result
  assert.doesNotMatch(JSON.stringify(list), /[\u4e00-\u9fff]/)
  await page.click('#act-weather')
  await page.waitForFunction(() =>
    /changed \d/.test(document.querySelector('#things')?.textContent ?? ''),
  )
  assert.match(await readText(gateway(), `${name}+weather://data/12345`), /"condition":"Clear"/)

  await page.goto(page.url().replace('lang=en', 'lang=de'))
  const german = await joined(page)
  assert.match(await readText(gateway(), `${german}+weather://data/12345`), /"condition":"Klar"/)
  assert.match(await textOf(page, '#things'), /Fähigkeiten des Agenten/)
  const main = 'file:///project/src/main.rs'
  const { resources } = JSON.parse(await post(gateway(), 'resources/list', {}, german)).result as {
    resources: { uri: string; size?: number }[]
  }
  const text = await readText(gateway(), `${german}+${main}`)
  assert.match(text, /Hallo/)
  assert.equal(resources.find(({ uri }) => uri === main)?.size, Buffer.byteLength(text))
})
