import assert from 'node:assert/strict'
import { useGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'
import { saw } from '../playground/harness.ts'
import { textOf } from './reading.ts'

const gateway = useGateway()

inBrowsers(
  'the start page pairs the browser, and the demos join by themselves',
  async ({ open }) => {
    const { start } = await gateway().fresh()
    const page = await open(start)
    await page.waitForSelector('#state[data-is=paired]')
    const notes = await open(`${gateway().web}demo/notes/`)
    await notes.waitForSelector('#state[data-is=joined]')
    const name = /^Joined as (.+)$/.exec(await textOf(notes, '#state-text'))?.[1]
    assert.match(name ?? '', /^notes/)

    const answer = await post(gateway(), 'resources/read', {
      uri: `${name}+idb:///notes-app/notes/n.2`,
    })
    assert.match(answer, /Chickpeas/)
    await notes.waitForSelector('#reads button.what')
    assert.equal(await textOf(notes, '#reads button.what'), 'Shopping')
    assert.match(await textOf(notes, '#note-2 .when'), /^read /)

    await page.reload() // without the secret, which is erased from the address: by the key that was kept
    await page.waitForSelector('#state[data-is=paired]')
  },
)

inBrowsers(
  'the start page of a paired browser says who read what, and stops an assistant by one click',
  async ({ open }) => {
    const { start } = await gateway().fresh()
    const page = await open(start.replace('#', '?lang=en#'))
    await page.waitForSelector('#traffic:not([hidden])')
    const notes = await open(`${gateway().web}demo/notes/?lang=en`)
    await notes.waitForSelector('#state[data-is=joined]')
    const name = /^Joined as (.+)$/.exec(await textOf(notes, '#state-text'))?.[1] ?? ''
    await page.bringToFront()
    await saw(page, '#joined li', `${name} · `)
    const uri = `${name}+idb:///notes-app/notes/n.2`
    assert.match(await post(gateway(), 'resources/read', { uri }), /Chickpeas/)
    await saw(page, '#readers li', 'Assistant without a name')
    await saw(page, '#readers li', `${name} `)
    await saw(page, '#readers li code', uri)
    assert.doesNotMatch(
      await page.evaluate(() => document.body.textContent ?? ''),
      new RegExp(gateway().token),
    )

    await page.click('#readers li button')
    await saw(page, '#readers li', 'Stopped until')
    assert.match(await post(gateway(), 'resources/read', { uri }), /"reason":"paused"/)
    await page.click('#stop-all')
    await saw(page, '#paused:not([hidden])', 'pagemcp resume')
    await page.waitForSelector('#stop-all', { hidden: true })
  },
  { only: ['chromium'] },
)
