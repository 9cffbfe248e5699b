// The question to the user: what it says, who can answer it, and what covers it.

import assert from 'node:assert/strict'
import { textsIn } from '../../src/access/dialog.ts'
import { fill, languageOf } from '../../src/translation.ts'
import { axe, violations } from '../harness/axe.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type { Kit } from './page.ts'
import {
  answer,
  ask,
  choose,
  click,
  isGone,
  isShown,
  opened,
  pressEscape,
  takesClicks,
} from './person.ts'

declare const kit: Kit

const { url } = serveKit('access/page.ts')

const tool = { name: 'delete_note', title: 'Delete a note', destructive: true }
const act = { right: 'act', method: 'tools/call', uri: undefined } as const

inBrowsers(
  'it says who asks for what, and refuses by default',
  async ({ open }) => {
    const tab = await opened(open(url('/?q')))
    await ask(tab, 'a', { callsItself: 'Claude Code' })
    await isShown(tab)
    const text = await tab.evaluate(() => kit.text())
    for (const part of [
      'Allow claude-code to read My notes?',
      `App: My notes (notes) at ${new URL(url()).origin}`,
      'It calls itself Claude Code. This name is not checked.',
      'The contents go to the provider of its language model.',
      'resources/read notes://1',
      '“Allow this time” ends after 8 hours',
      '30 days without use',
    ])
      assert.ok(text.includes(part), `${part} is not in ${text}`)
    assert.deepEqual(await tab.evaluate(() => kit.buttons().slice(0, 3)), [
      'Allow this time',
      'Allow always',
      'Don’t allow',
    ])
    assert.equal(await tab.evaluate(() => kit.focused()), 'Don’t allow')
    await takesClicks(tab)
    await tab.keyboard.press('Enter')
    const { allow, reason, message = '' } = await answer(tab, 'a')
    assert.deepEqual([allow, reason], [false, 'declined'])
    assert.match(message, /Do not try again unless they ask/)
    assert.deepEqual(
      await tab.evaluate(() => kit.table()?.grants.map(({ allow, right }) => [allow, right])),
      [[false, 'read']],
    )
  },
  { only: ['chromium'] },
)

inBrowsers('keys alone: Tab goes around, Escape decides nothing', async ({ open }) => {
  const tab = await opened(open(url('/?q')))
  await ask(tab, 'a')
  await isShown(tab)
  await pressEscape(tab)
  const closed = await answer(tab, 'a')
  assert.deepEqual([closed.allow, closed.reason], [false, 'declined'])
  assert.deepEqual(await tab.evaluate(() => kit.table()?.grants), [], 'nothing is saved')

  await ask(tab, 'b')
  await isShown(tab)
  await takesClicks(tab)
  await tab.keyboard.down('Shift')
  await tab.keyboard.press('Tab')
  await tab.keyboard.up('Shift')
  assert.equal(await tab.evaluate(() => kit.focused()), 'Allow always')
  await tab.keyboard.press('Enter')
  assert.deepEqual(await answer(tab, 'b'), { allow: true, reason: 'asked' })
})

inBrowsers(
  'a click of the first half second does not count',
  async ({ open }) => {
    const tab = await opened(open(url('/?q')))
    await tab.evaluate(() => {
      const now = performance.now()
      addEventListener(
        'click',
        () => {
          performance.now = () => {
            delete (performance as Partial<Performance>).now // for one look
            return now
          }
        },
        { capture: true, once: true },
      )
    })
    await ask(tab, 'a')
    await isShown(tab)
    await click(tab, 'Allow always') // the dialog reads a clock that stands where it was before
    assert.equal(await tab.evaluate(() => kit.isAsked()), true)
    await choose(tab, 'Allow always')
    assert.equal((await answer(tab, 'a')).allow, true)
  },
  { only: ['chromium'] },
)

inBrowsers('events of scripts do not count', async ({ open }) => {
  const tab = await opened(open(url('/?q')))
  await ask(tab, 'a')
  await isShown(tab)
  await takesClicks(tab)
  await tab.evaluate(() => {
    for (const one of kit.root()?.querySelectorAll('button') ?? []) {
      one.click()
      one.dispatchEvent(new MouseEvent('click', { bubbles: true }))
      one.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
    }
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  })
  assert.deepEqual(await tab.evaluate(() => [kit.isAsked(), kit.answer('a')]), [true, null])
  await choose(tab, 'Don’t allow')
  assert.equal((await answer(tab, 'a')).reason, 'declined')
})

/** Covers what is at the place of a button by an element of the top layer that lets clicks through. */
const cover = () => {
  const overlay = document.createElement('div')
  overlay.id = 'overlay'
  overlay.textContent = 'You have won! Click here'
  const style =
    'position: fixed; inset: 0; margin: 0; width: 100vw; height: 100vh; max-width: none; max-height: none; pointer-events: none; background: white'
  overlay.style.cssText = style
  document.body.append(overlay)
  overlay.popover = 'manual'
  overlay.showPopover()
}

inBrowsers(
  'the question returns above what covers it, and such a click does not count',
  async ({ open }) => {
    const tab = await opened(open(url('/?q')))
    await ask(tab, 'a')
    await isShown(tab)
    await takesClicks(tab)
    await tab.evaluate(cover)
    await click(tab, 'Allow always')
    assert.deepEqual(await tab.evaluate(() => kit.answer('a')), null)
    await choose(tab, 'Allow always') // it is on top again
    assert.equal((await answer(tab, 'a')).allow, true)
  },
)

inBrowsers('the question returns above a dialog of the app', async ({ open }) => {
  const tab = await opened(open(url('/?q')))
  await ask(tab, 'a')
  await isShown(tab)
  await takesClicks(tab)
  await tab.evaluate(() => {
    const dialog = document.createElement('dialog')
    dialog.textContent = 'of the app'
    document.body.append(dialog)
    dialog.showModal()
  })
  const isOnTop = () => {
    const [x, y] = kit.place('Don’t allow')
    return document.elementFromPoint(x, y)?.localName === 'pagemcp-question'
  }
  await tab.waitForFunction(isOnTop)
  assert.equal(await tab.evaluate(() => kit.focused()), 'Don’t allow')
  await choose(tab, 'Allow this time')
  assert.equal((await answer(tab, 'a')).allow, true)
})

inBrowsers('a page that hides or removes the question gets no answer', async ({ open }) => {
  const tab = await opened(open(url('/?q')))
  await tab.evaluate(() => {
    const sheet = document.createElement('style')
    sheet.textContent =
      'body, pagemcp-question { display: none !important; opacity: 0 !important; transition: all 1e6s !important } * { pointer-events: none !important }'
    document.head.append(sheet)
  })
  await ask(tab, 'a')
  await isShown(tab)
  await tab.evaluate(() => document.querySelector('pagemcp-question')?.remove())
  await isShown(tab) // it is there again
  await choose(tab, 'Allow this time') // and styles of the page do not hide it
  assert.equal((await answer(tab, 'a')).allow, true)

  await ask(tab, 'b', { assistant: 'other' })
  await isShown(tab)
  await tab.evaluate(() => {
    new MutationObserver(() => document.querySelector('pagemcp-question')?.remove()).observe(
      document.documentElement,
      { childList: true },
    )
    document.querySelector('pagemcp-question')?.remove()
  })
  const { allow, reason, message = '' } = await answer(tab, 'b')
  assert.deepEqual([allow, reason], [false, 'unanswered'])
  assert.match(message, /cannot be shown on top/)
})

inBrowsers(
  'it has the language of the document, and no violations in any',
  async ({ open }) => {
    const tab = await opened(open(url('/?open')))
    await tab.evaluate(axe)
    const values = { assistant: 'claude-code', app: 'My notes' }
    for (const language of ['en', 'de', 'ja-JP', 'zh-CN']) {
      const title = fill(textsIn(languageOf([language])).read, values)
      await tab.evaluate((language) => {
        document.documentElement.lang = language
      }, language)
      await ask(tab, language)
      await isShown(tab)
      assert.equal(await tab.evaluate(() => kit.root()?.querySelector('h2')?.textContent), title)
      assert.deepEqual(await violations(tab, 'pagemcp-question'), [], language)
      await tab.evaluate((id) => kit.leave(id), language)
      await isGone(tab)
    }
    await ask(tab, 'tool', { ...act, tool, arguments: { text: 'x'.repeat(5000) } })
    await isShown(tab)
    assert.match(await tab.evaluate(() => kit.text()), /x{5000}/)
    assert.deepEqual(await violations(tab, 'pagemcp-question'), [])
  },
  { only: ['chromium'] },
)
