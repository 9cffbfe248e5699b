/** What two assistants read at two sites: the same test in each browser. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Gateway, pageUrl, program, startGateway } from '../e2e/gateway.ts'
import { serve } from '../harness/serve.ts'
import { type Assistant, assistant, theList } from './assistant.ts'
import { inBackground, type Kit, type Person } from './person.ts'

const run = promisify(execFile)
const page = (title: string, body: string) =>
  `<!doctype html><title>${title}</title><link rel="icon" href="data:,"><body>${body}</body>`

/** An assistant with a token of its own. */
async function named(gateway: Gateway, name: string): Promise<Assistant> {
  const { stdout } = await run(program, ['token', 'add', name, '--state', gateway.state])
  return assistant({ ...gateway, token: stdout.trim() })
}

/** Clicks a button of an assistant in the list of sites. */
async function click({ popup }: Person, label: string): Promise<void> {
  await popup.bringToFront()
  await popup.$eval('#sites-box', (box) => box.setAttribute('open', ''))
  const button = await popup.waitForSelector(`#sites [aria-label="${label}"]`)
  await button?.click()
}

/** Two assistants read tabs of two sites, one of them is stopped at one site, and allowed there again. */
export async function readsBySite(kit: Kit): Promise<void> {
  const ends: (() => Promise<unknown>)[] = []
  try {
    await readBySite(kit, (end) => ends.unshift(end))
  } finally {
    for (const end of ends) await end()
  }
}

async function readBySite(kit: Kit, atEnd: (end: () => Promise<unknown>) => void): Promise<void> {
  const served = await serve({
    files: {
      '/news': page('News', '<p>Rain.</p>'),
      '/bank': page('Bank', '<p>Twelve.</p>'),
    },
  })
  atEnd(() => served.close())
  const news = served.origin
  const bank = served.otherOrigin
  const gateway = await startGateway({ args: ['--allow-origin', kit.origin] })
  atEnd(() => gateway.close())
  const installed = await kit.install([news, bank])
  atEnd(() => installed.remove())
  const person = await kit.arrive(installed)
  atEnd(() => person.leave())
  const { name, gateway: url } = await person.join((await gateway.fresh()).start)
  assert.equal(url, pageUrl(gateway))
  const claude = await named(gateway, 'claude')
  atEnd(() => claude.close())
  const codex = await named(gateway, 'codex')
  atEnd(() => codex.close())

  const tab = await person.open(`${news}/news`)
  const newsId = await person.idOf('News')
  await person.tick(newsId)
  const bankTab = await person.open(`${bank}/bank`)
  const bankId = await person.idOf('Bank')
  await person.tick(bankId)
  const list = `${name}+tab:///`
  const own = (id: number) => [`${list}${id}`, `${list}${id}/text`]
  const all = [list, `${list}active`, ...own(newsId), ...own(bankId)].sort()
  const ids = async (who: Assistant) => {
    const { tabs } = JSON.parse(await who.text(list)) as { tabs: { id: string }[] }
    return tabs.map(({ id }) => Number(id)).sort()
  }
  for (const who of [claude, codex]) {
    assert.deepEqual((await who.uris(...all)).sort(), all)
    assert.equal(await who.text(`${list}${newsId}/text`), 'Rain.')
    assert.equal(await who.text(`${list}${bankId}/text`), 'Twelve.')
    await who.listen(list, ...own(bankId))
  }

  const notShared = /The user has not shared this with you/
  const stop = () => click(person, `Stop here: codex, ${bank}`)
  await codex.hears(stop, theList, list)
  const rest = all.filter((uri) => !own(bankId).includes(uri))
  assert.deepEqual((await codex.uris(...rest)).sort(), rest)
  assert.deepEqual(await ids(codex), [newsId])
  for (const uri of own(bankId)) await assert.rejects(codex.text(uri), notShared)
  assert.equal(await codex.text(`${list}${newsId}/text`), 'Rain.')
  assert.deepEqual((await claude.uris(...all)).sort(), all)
  assert.equal(await claude.text(`${list}${bankId}/text`), 'Twelve.')
  await person.popup.waitForFunction(
    (id) => document.querySelector(`label:has(#tab-${id})`)?.textContent?.includes('not by codex'),
    inBackground,
    bankId,
  )

  // It hears of no change of that tab, to which it has listened before.
  const rename = () =>
    bankTab.evaluate(() => {
      document.title = 'Bank 2'
    })
  const heard = await codex.hears(() => claude.hears(rename, ...own(bankId)), list)
  assert.deepEqual(
    heard.filter((uri) => own(bankId).includes(uri)),
    [],
  )

  // The active tab is that of the bank.
  await claude.listen(`${list}active`)
  await claude.hears(() => bankTab.bringToFront(), `${list}active`)
  assert.equal(await claude.text(`${list}active/text`), 'Twelve.')
  for (const uri of ['active', 'active/text']) {
    await assert.rejects(codex.text(`${list}${uri}`), notShared)
  }

  // A tab that goes to the bank, and is ticked there, is not for codex either.
  await codex.listen(...own(newsId))
  await codex.hears(() => tab.goto(`${bank}/bank`), ...own(newsId))
  await codex.missing(`${list}${newsId}`)
  await person.popup.waitForFunction(
    (id) => document.querySelector(`label:has(#tab-${id})`)?.textContent?.includes('Bank'),
    inBackground,
    newsId,
  )
  await person.tick(newsId)
  assert.equal(await claude.text(`${list}${newsId}/text`), 'Twelve.')
  for (const uri of own(newsId)) await assert.rejects(codex.text(uri), notShared)
  assert.deepEqual(await ids(codex), [])

  const allow = () => click(person, `Allow here: codex, ${bank}`)
  await codex.hears(allow, theList, list, ...own(bankId))
  assert.equal(await codex.text(`${list}${bankId}/text`), 'Twelve.')
  assert.deepEqual(await ids(codex), [newsId, bankId].sort())
}
