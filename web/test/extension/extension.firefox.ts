/** The extension in Firefox ESR. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../harness/serve.ts'
import { theList } from './assistant.ts'
import { firefox, resumed, setPermission, suspend } from './firefox.ts'
import { stories } from './stories.ts'

stories(firefox, (scene) => {
  test('when Firefox suspends its event page, an alarm starts it, and it joins as who it was', async () => {
    const { person, reader, name } = scene()
    const id = await person.idOf('Soup')
    const text = `${name}+tab:///${id}/text`
    // The extension's own alarm, but soon: it may have been due in 20 s.
    await person.popup.evaluate(async () => {
      for (const { name, periodInMinutes } of await chrome.alarms.getAll())
        await chrome.alarms.create(name, { periodInMinutes, when: Date.now() + 3000 })
    })
    await suspend(person.browser)
    // A read in between would fail or wait for the page, depending on when the alarm comes.
    await resumed(person)
    assert.equal(await reader.text(text), 'Leek.')
    await person.shows(id, true)
    assert.equal(await person.joined(), name)
  })

  test('a change of a ticked tab starts a suspended event page', async () => {
    const { person, reader, name, soup } = scene()
    const own = `${name}+tab:///${await person.idOf('Soup')}`
    for (const title of ['Broth', 'Soup']) {
      await suspend(person.browser)
      await soup.evaluate((next) => (document.title = next), title)
      await resumed(person)
      assert.equal(JSON.parse(await reader.text(own)).title, title)
    }
  })

  test('while sharing is stopped no alarm keeps the event page awake', async () => {
    const { popup, joined } = scene().person
    const alarms = (count: number) =>
      popup.waitForFunction(
        async (wanted) => (await chrome.alarms.getAll()).length === wanted,
        { polling: 100 },
        count,
      )
    await alarms(1)
    await popup.click('#share')
    await alarms(0)
    // Before it shows that, an older overview may set the switch back to on.
    await popup.waitForFunction(() => document.getElementById('share-note')?.hidden === false, {
      polling: 100,
    })
    await popup.click('#share')
    await alarms(1)
    assert.equal(await joined(), scene().name)
  })

  test('Firefox asks once for all ports of a host, and consent is for one', async () => {
    const { person, reader, name } = scene()
    const soup = `${name}+tab:///${await person.idOf('Soup')}/text`
    const before = await person.sites()
    const other = await serve({ files: { '/jam': '<!doctype html><title>Jam</title>Plums.' } })
    const tab = await person.open(`${other.origin}/jam`)
    try {
      const id = await person.idOf('Jam')
      const jam = `${name}+tab:///${id}/text`
      await reader.missing(jam)
      await reader.hears(() => person.tick(id), theList)
      assert.equal(await reader.text(jam), 'Plums.')
      assert.deepEqual(await person.sites(), [...before, other.origin].sort())
      await reader.hears(() => person.takeBack(other.origin), theList)
      await reader.missing(jam)
      assert.equal(await reader.text(soup), 'Leek.')
    } finally {
      await tab.close()
      await other.close()
    }
  })

  test('a tick gets the answer of a prompt that closed the popup, and a refused one gets no later answer', async () => {
    const { person, reader, name } = scene()
    const served = await serve({ files: { '/jam': '<!doctype html><title>Jam</title>Plums.' } })
    const site = served.otherOrigin
    const tab = await person.open(`${site}/jam`)
    const id = await person.idOf('Jam')
    const jam = `${name}+tab:///${id}/text`
    try {
      await person.tell('background', 'asking', { tab: id, site })
      await setPermission(person.browser, 'add', site)
      await person.shows(id, true)
      assert.equal(await reader.text(jam), 'Plums.')
      await setPermission(person.browser, 'remove', site)
      await person.shows(id, false)
      await reader.missing(jam)

      await person.refuse(id, site)
      await person.popup.waitForFunction(
        async () => !('asking' in (await chrome.storage.session.get())),
        { polling: 100 },
      )
      await setPermission(person.browser, 'add', site) // in the panel of extensions, or in about:addons
      await person.tell('background', 'share', { on: true }) // handled after that event
      await reader.missing(jam)
      assert.ok(!(await person.sites()).includes(site))
    } finally {
      await setPermission(person.browser, 'remove', site)
      await tab.close()
      await served.close()
    }
  })
})
