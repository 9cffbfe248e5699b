/**
 * Text that a user cannot see, or that he is still writing, is where instructions to models are planted and secrets
 * stand (security.md, S8): it is not read, whatever hides it; and what can be seen is.
 */

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import { hidden, shown } from './hiding.ts'
import type {} from './kit.ts' // declares globalThis.pageKit

const page = serveKit('page/kit.ts')

inBrowsers('what nobody can see is not read', async ({ open }) => {
  const tab = await open(page.url())
  const leaks = await tab.evaluate(async (hidden) => {
    const wrong: string[] = []
    for (const [how, row] of Object.entries(hidden)) {
      const { html, needs } = typeof row === 'string' ? { html: row } : row
      if (needs !== undefined && !CSS.supports(needs)) continue
      pageKit.show(`<p>seen</p>${html}`)
      for (const host of document.querySelectorAll('.host')) {
        host.attachShadow({ mode: how.includes('slot') ? 'open' : 'closed' })
      }
      for (const part of ['text', 'outline', 'selection']) {
        getSelection()?.selectAllChildren(document.body)
        const text = await pageKit.read(`page:///${part}`)
        if (text.includes('HIDDEN')) wrong.push(`${how}: ${part}`)
        if (part === 'text' && !text.includes('seen')) wrong.push(`${how}: too much is left out`)
      }
    }
    return wrong
  }, hidden)
  assert.deepEqual(leaks, [])
})

inBrowsers('what can be seen is read', async ({ open }) => {
  const tab = await open(page.url())
  const missing = await tab.evaluate(async (shown) => {
    const wrong: string[] = []
    for (const [how, html] of Object.entries(shown)) {
      Reflect.get(Document.prototype, 'body', document).innerHTML = html
      const attach = (selector: string, mode: ShadowRootMode, inner: string) => {
        for (const host of document.querySelectorAll(selector))
          host.attachShadow({ mode }).innerHTML = inner
      }
      attach('.open', 'open', '<p>SEEN</p>')
      attach('.slotted', 'open', '<slot></slot>')
      attach('.closed', 'closed', '<slot></slot>')
      for (const box of document.querySelectorAll('.scrolled')) box.scrollTop = 400
      if (!(await pageKit.read('page:///text')).includes('SEEN')) wrong.push(how)
    }
    return wrong
  }, shown)
  assert.deepEqual(missing, [])
})

inBrowsers('text is laid out as it is read', async ({ open }) => {
  const tab = await open(page.url())
  const read = (html: string) => tab.evaluate((html) => pageKit.text(html), html)
  assert.equal(
    await read(
      '<h1>Title</h1><p>one  <b>two</b>\n three<br>four</p><ul><li>a<li>b</ul><div>x</div><div>y</div>',
    ),
    'Title\n\none two three\nfour\n\na\nb\n\nx\ny',
  )
  assert.equal(await read('<table><tr><td>a<td>b<tr><td>c<td>d</table>'), 'a\tb\nc\td')
  assert.equal(await read('<pre>  if\n    then</pre>after'), '  if\n    then\n\nafter')
  assert.equal(await read(''), '')
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
