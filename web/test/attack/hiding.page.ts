/**
 * Text that a user cannot see, or that he is still writing, is where instructions to models are planted and secrets
 * stand (security.md, S8): every way to hide, in every part of a page that is served, in both browsers.
 */

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from '../page/kit.ts' // declares globalThis.pageKit
import { hidden, shown } from './hiding.ts'

const page = serveKit('page/kit.ts')

inBrowsers('no trick makes a reader see what users do not', async ({ open, name }) => {
  assert.ok(Object.keys(hidden).length >= 75)
  const tab = await open(page.url())
  const { wrong, tried, plainly } = await tab.evaluate(async (hidden) => {
    const wrong: string[] = []
    let tried = 0
    let plainly = 0 // that textContent falls for: a reader without any rule
    for (const [how, { html, needs }] of Object.entries(hidden)) {
      if (needs !== undefined && !CSS.supports(needs)) continue
      tried++
      pageKit.show(`<p>seen</p>${html}`)
      if (document.body.textContent.includes('HIDDEN')) plainly++
      getSelection()?.selectAllChildren(document.body)
      for (const part of ['text', 'outline', 'selection', 'tab']) {
        const text = await (part === 'tab' ? pageKit.tabText() : pageKit.read(`page:///${part}`))
        if (text.includes('HIDDEN')) wrong.push(`${how}: ${part}`)
        if (part !== 'outline' && !text.includes('seen')) wrong.push(`${how}: too much is left out`)
      }
    }
    return { wrong, tried, plainly }
  }, hidden)
  assert.ok(tried >= 75, `${name} can show ${tried}`)
  assert.equal(plainly, tried, 'every row is an attack on a reader that does not look')
  assert.deepEqual(wrong, [])
})

inBrowsers(
  'a draft is a field: in the outline without its value, and typing is not announced',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      pageKit.show(
        '<p id="label">Note</p><div id="draft" contenteditable aria-labelledby="label">HIDDEN <b>HIDDEN</b></div><p id="text">text</p>',
      )
      const outline: unknown = JSON.parse(await pageKit.read('page:///outline'))
      const source = pageKit.page({ select: ['body'] })
      const changes = pageKit.changes(source)
      const draft = document.getElementById('draft') as HTMLElement
      ;(draft.firstChild as Text).data = 'HIDDEN and more'
      draft.append('more')
      draft.lastElementChild?.setAttribute('class', 'x')
      document.title = 'another'
      const first = await changes.heard('page:///meta')
      draft.removeAttribute('contenteditable')
      await changes.heard('page:///text')
      changes.stop()
      return { outline, first, text: await pageKit.read('page:///text') }
    })
    assert.deepEqual(got.outline, [
      { role: 'field', type: 'textbox', name: 'Note', value: 'redacted' },
    ])
    assert.deepEqual(got.first, ['page:///meta'])
    assert.match(got.text, /HIDDEN and more/)
  },
)

inBrowsers('what users see, a reader sees', async ({ open }) => {
  assert.ok(Object.keys(shown).length >= 20)
  const tab = await open(page.url())
  const missing = await tab.evaluate(async (shown) => {
    const missing: string[] = []
    for (const [how, html] of Object.entries(shown)) {
      pageKit.show(html)
      if (!(await pageKit.read('page:///text')).includes('SEEN')) missing.push(how)
    }
    return missing
  }, shown)
  assert.deepEqual(missing, [])
})
