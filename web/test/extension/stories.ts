/** The extension from the popup to an assistant at the gateway: the same tests in each browser. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { type Gateway, pageUrl, startGateway } from '../e2e/gateway.ts'
import { type Served, serve } from '../harness/serve.ts'
import { type Assistant, assistant, theList } from './assistant.ts'
import { type Installed, inBackground, type Kit, type Person } from './person.ts'

const page = (title: string, body: string) =>
  `<!doctype html><title>${title}</title><link rel="icon" href="data:,"><body>${body}</body>`

/** What tests of one browser need: where a tab is ticked, with the title Soup. */
export interface Scene {
  person: Person
  reader: Assistant
  /** The extension's name at the gateway. */
  name: string
  soup: Page
}

/**
 * Tests the extension in a browser.
 *
 * @param own - tests of that browser alone; they leave the tab ticked
 */
export function stories(kit: Kit, own: (scene: () => Scene) => void): void {
  let served: Served
  let gateway: Gateway
  let installed: Installed
  let person: Person
  let reader: Assistant
  let name: string
  let bread: Page

  before(async () => {
    served = await serve({
      files: {
        '/bread': page('Bread', '<p>Flour, water, salt.</p><p hidden>canary</p>'),
        '/cake': page('Cake', '<p>Butter and eggs.</p>'),
        '/soup': page('Soup', '<p>Leek.</p>'),
        '/away': page('Away', '<p>Elsewhere.</p>'),
      },
    })
    gateway = await startGateway({ args: ['--allow-origin', kit.origin] })
    installed = await kit.install([served.origin])
    person = await kit.arrive(installed)
  })
  after(async () => {
    const leaving = await Promise.allSettled([reader?.close(), person?.leave()])
    await Promise.all([gateway?.close(), served?.close(), installed?.remove()])
    for (const one of leaving) if (one.status === 'rejected') throw one.reason
  })

  test('joins the gateway of a pasted link, and serves nothing that is not ticked', async () => {
    bread = await person.open(`${served.origin}/bread`)
    const joined = await person.join((await gateway.fresh()).start)
    assert.deepEqual(joined, { name: 'browser', gateway: pageUrl(gateway) })
    name = joined.name
    reader = await assistant(gateway)
    const all = [`${name}+tab:///`, `${name}+tab:///active`]
    assert.deepEqual(await reader.uris(...all), all)
  })

  test('a ticked tab is there, with its text; an unticked one is not', async () => {
    const bread = await person.idOf('Bread')
    await person.open(`${served.origin}/cake?session_token=canary`)
    const cake = await person.idOf('Cake')
    await reader.listen(`${name}+tab:///`)
    await reader.hears(() => person.tick(bread), theList, `${name}+tab:///`)

    const own = `${name}+tab:///${bread}`
    const all = [`${name}+tab:///`, `${name}+tab:///active`, own, `${own}/text`]
    assert.deepEqual(await reader.uris(...all), all)
    assert.equal(await reader.text(`${own}/text`), 'Flour, water, salt.')
    const { lastAccessed, ...details } = JSON.parse(await reader.text(own))
    assert.ok(Date.parse(lastAccessed) > 0)
    assert.equal(typeof details.window, 'number')
    assert.deepEqual(details, {
      id: String(bread),
      title: 'Bread',
      url: `${served.origin}/bread`,
      active: false,
      front: false,
      window: details.window,
      audible: false,
      pinned: false,
      loading: false,
      discarded: false,
    })
    const uris = [`${name}+tab:///${cake}`, `${name}+tab:///${cake}/text`, `${name}+tab:///active`]
    for (const uri of uris) await reader.missing(uri)
    assert.doesNotMatch(await reader.text(`${name}+tab:///`), /Cake|canary/)
  })

  test('another title, another address and another page of the site are announced', async () => {
    const id = await person.idOf('Bread')
    const own = `${name}+tab:///${id}`
    await reader.listen(own, `${own}/text`)
    const changes = [own, `${own}/text`, theList]
    await reader.hears(() => bread.evaluate(() => (document.title = 'Rye')), ...changes)
    assert.equal(JSON.parse(await reader.text(own)).title, 'Rye')
    await reader.hears(
      () => bread.evaluate(() => history.pushState(null, '', '?page=2')),
      ...changes,
    )
    assert.equal(JSON.parse(await reader.text(own)).url, `${served.origin}/bread?page=2`)
    await reader.hears(() => bread.goto(`${served.origin}/soup`), ...changes)
    assert.equal(await reader.text(`${own}/text`), 'Leek.')
  })

  test('the active tab is announced, and nothing of one that is not ticked', async () => {
    const active = `${name}+tab:///active`
    await reader.listen(active)
    await reader.hears(() => bread.bringToFront(), active)
    assert.equal(JSON.parse(await reader.text(active)).title, 'Soup')
    assert.equal(await reader.text(`${active}/text`), 'Leek.')
    await reader.hears(() => person.popup.bringToFront(), active)
    await reader.missing(active)
  })

  own(() => ({ person, reader, name, soup: bread }))

  test('a tab that the browser puts to sleep stays ticked, and is not woken up', async () => {
    const before = await person.idOf('Cake')
    await reader.hears(() => person.tick(before), theList)
    await reader.hears(
      () => person.popup.evaluate((id) => chrome.tabs.discard(id), before),
      theList,
    )
    // It has another id in Chromium, which the popup may show a moment later.
    const deadline = Date.now() + 20_000
    let id = before
    for (let sleeps = false; !sleeps; ) {
      assert.ok(Date.now() < deadline, 'waited 20 s for a tab that sleeps')
      id = await person.idOf('Cake')
      const tab = await reader.text(`${name}+tab:///${id}`).catch(() => '{}')
      sleeps = JSON.parse(tab).discarded === true
    }
    await reader.missing(`${name}+tab:///${id}/text`)
    if (id !== before) await reader.missing(`${name}+tab:///${before}`)
  })

  test('a script within a page learns nothing', async () => {
    const id = await person.idOf('Soup')
    const answer = await person.popup.evaluate(async (tabId) => {
      const [ran] = await chrome.scripting.executeScript({
        target: { tabId },
        func: () =>
          chrome.runtime.sendMessage({ to: 'background', what: 'overview' }).then(
            (reply: unknown) => reply ?? 'silence',
            () => 'silence',
          ),
      })
      return ran?.result
    }, id)
    assert.equal(answer, 'silence')
  })

  test('the popup says who has read which site, stops an assistant, everywhere or at one site, and pauses all', async () => {
    const id = await person.idOf('Soup')
    const own = `${name}+tab:///${id}`
    const { popup } = person
    const button = (label: string) => popup.waitForSelector(`#assistants [aria-label="${label}"]`)
    assert.equal(await reader.text(`${own}/text`), 'Leek.')
    await popup.waitForFunction(
      () =>
        /^may read · \d+ reads?$/.test(document.querySelector('#sites .place')?.textContent ?? ''),
      inBackground,
    )
    await popup.bringToFront()
    await reader.listen(own)
    const stop = await button('Stop: Unnamed assistant')
    await reader.hears(async () => stop?.click(), theList)
    await assert.rejects(reader.text(own), /The user declined/)
    const allow = await button('Allow: Unnamed assistant')
    await reader.hears(async () => allow?.click(), theList)
    // That may have been a second announcement of the stop: then another one follows.
    const another = reader.hears(async () => {}, theList)
    another.catch(() => {})
    const isDeclined = await reader.text(own).then(
      () => false,
      () => true,
    )
    if (isDeclined) await another
    assert.equal(await reader.text(`${own}/text`), 'Leek.')
    await popup.click('#pause')
    await popup.waitForSelector('#pause-note', { visible: true })
    await assert.rejects(reader.text(own), /The user has paused all assistants/)
    await popup.click('#pause')
    await popup.waitForSelector('#pause-note', { hidden: true })
    assert.equal(await reader.text(`${own}/text`), 'Leek.')
    const here = (what: string) => popup.waitForSelector(`#sites [aria-label^="${what} here: "]`)
    await popup.$eval('#sites-box', (box) => box.setAttribute('open', ''))
    await (await here('Stop'))?.click()
    await here('Allow')
    await assert.rejects(reader.text(own), /The user has not shared this with you/)
    await (await here('Allow'))?.click()
    await here('Stop')
    assert.equal(await reader.text(`${own}/text`), 'Leek.')
  })

  test('unticking takes a tab away at once', async () => {
    const id = await person.idOf('Soup')
    await reader.hears(() => person.tick(id, false), theList, `${name}+tab:///${id}`)
    await reader.missing(`${name}+tab:///${id}`)
    await reader.missing(`${name}+tab:///${id}/text`)
    assert.ok(!(await reader.uris(`${name}+tab:///`)).some((uri) => uri.includes(`/${id}`)))
  })

  test('another site needs consent, also for a tab that is ticked', async () => {
    const id = await person.idOf('Soup')
    const own = `${name}+tab:///${id}`
    await person.tick(id)
    await reader.listen(own)
    await reader.hears(() => bread.goto(`${served.otherOrigin}/away`), own, theList)
    await reader.missing(own)
    await reader.missing(`${own}/text`)
    await person.shows(id, false)

    await person.refuse(id, served.otherOrigin)
    await person.shows(id, false)
    await reader.missing(own)

    // Without the browser's own permission there is no consent, although a message claims it.
    const args = { tab: id, site: served.otherOrigin }
    await person.tell('background', 'consent', args)
    await person.tell('background', 'tick', { ...args, on: true })
    await reader.missing(own)

    await bread.goto(`${served.origin}/bread`) // back again: the tick is gone all the same
    await person.idOf('Bread')
    await reader.missing(own)
  })

  test('a closed tab is gone', async () => {
    const tab = await person.open(`${served.origin}/soup`)
    const id = await person.idOf('Soup')
    const own = `${name}+tab:///${id}`
    await person.tick(id)
    await reader.listen(own)
    await reader.hears(() => tab.close(), own, theList)
    await reader.missing(own)
  })

  test('one switch stops all sharing, and on again it joins as who it was', async () => {
    const id = await person.idOf('Bread')
    const own = `${name}+tab:///${id}`
    await person.tick(id)
    assert.equal(await reader.text(`${own}/text`), 'Flour, water, salt.')
    await reader.listen(own)
    await reader.hears(() => person.popup.click('#share'), own, theList)
    await assert.rejects(reader.text(own))
    await person.popup.waitForSelector('#share-note', { visible: true })
    await person.popup.click('#share')
    assert.equal(await person.joined(), name)
    assert.equal(await reader.text(`${own}/text`), 'Flour, water, salt.')
  })

  test('after a restart of the browser consent is kept, and ticks are not', async () => {
    await person.leave()
    person = await kit.arrive(installed)
    assert.equal(await person.joined(), name) // by itself
    await person.open(`${served.origin}/bread`)
    const id = await person.idOf('Bread')
    const all = [`${name}+tab:///`, `${name}+tab:///active`]
    assert.deepEqual(await reader.uris(...all), all)
    assert.deepEqual(await person.sites(), [served.origin])
    await reader.hears(() => person.tick(id), theList)
    assert.equal(await reader.text(`${name}+tab:///${id}/text`), 'Flour, water, salt.')
  })

  test('consent can be taken back', async () => {
    const id = await person.idOf('Bread')
    await reader.hears(() => person.takeBack(served.origin), theList)
    await reader.missing(`${name}+tab:///${id}`)
    await person.shows(id, false)
    assert.deepEqual(await person.sites(), [])
  })
}
