/** The pages that only serve: what they show without a gateway, on a phone, and of what they are asked. */

import assert from 'node:assert/strict'
import { post, useGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { readText, textOf } from './reading.ts'

const gateway = useGateway()

inBrowsers(
  'a page that nobody has paired says how to pair it',
  async ({ open }) => {
    for (const demo of ['world']) {
      const page = await open(`${gateway().web}demo/${demo}/`)
      await page.waitForSelector('#state[data-is=unpaired]')
      assert.equal(await textOf(page, '#state-text'), 'Not paired')
      assert.match(await textOf(page, '#advice'), /pagemcp dev/)
      assert.match(await textOf(page, '#quiet'), /No assistant has asked/)
      await page.close()
    }
  },
  { only: ['chromium'] },
)

inBrowsers(
  'the pages fit a phone and a desk, in light and in dark',
  async ({ open }) => {
    for (const demo of ['world']) {
      const page = await open(`${gateway().web}demo/${demo}/`)
      await page.waitForSelector('#state[data-is=unpaired]')
      for (const width of [360, 1400]) {
        await page.setViewport({ width, height: 800 })
        const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
        assert.equal(fits, true, `${demo} at ${width}`)
      }
      const scheme = await page.$eval(':root', (one) => getComputedStyle(one).colorScheme)
      assert.equal(scheme, 'light dark')
      await page.close()
    }
  },
  { only: ['chromium'] },
)

inBrowsers(
  'the world speaks the language of the page',
  async ({ open }) => {
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
    const { resources } = JSON.parse(await post(gateway(), 'resources/list', {}, german))
      .result as {
      resources: { uri: string; size?: number }[]
    }
    const text = await readText(gateway(), `${german}+${main}`)
    assert.match(text, /Hallo/)
    assert.equal(resources.find(({ uri }) => uri === main)?.size, Buffer.byteLength(text))
  },
  { only: ['chromium'] },
)
