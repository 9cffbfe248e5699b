/** The extension in Chromium. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chromium, stopServiceWorker } from './chromium.ts'
import { stories } from './stories.ts'

stories(chromium, (scene) => {
  test('with its service worker stopped it is still served', async () => {
    const { person, reader, name, soup } = scene()
    const id = await person.idOf('Soup')
    const own = `${name}+tab:///${id}`
    await stopServiceWorker(person)
    assert.equal(await reader.text(`${own}/text`), 'Leek.')
    for (const title of ['Broth', 'Soup']) {
      await stopServiceWorker(person)
      await reader.hears(() => soup.evaluate((next) => (document.title = next), title), own)
      assert.equal(JSON.parse(await reader.text(own)).title, title)
    }
  })
})
