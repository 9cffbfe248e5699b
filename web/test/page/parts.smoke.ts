// Outline, description, selection, and parts by name.

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './kit.ts' // declares globalThis.pageKit

const page = serveKit('page/kit.ts')

inBrowsers('the outline has headings, landmarks and labels, and no value', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    pageKit.show(`
      <header><h1>The <em>whole</em> page</h1></header>
      <main>
        <article aria-labelledby="a">
          <h2 id="a">An article</h2><div role="heading" aria-level="4">deeper</div><h3 hidden>no</h3>
          <form>
            <label>Name <input name="who" value="SECRET" required></label>
            <label for="mail">E-mail</label><input id="mail" type="email">
            <label>Password <input type="password" value="SECRET"></label>
            <label>Card <input autocomplete="cc-number"></label>
            <input type="hidden" value="SECRET">
            <label>Notes <textarea>SECRET</textarea></label>
            <label><input type="checkbox" checked style="opacity: 0; position: absolute"> Send me more</label>
            <label>Colour <select><option>SECRET</select></label>
            <label hidden>SECRET <input></label>
            <fieldset><legend>Options</legend></fieldset>
            <input aria-label="SECRET">
            <button>Send</button>
          </form>
        </article>
      </main>
      <footer>end</footer>`)
    const source = pageKit.page({ select: ['body'] })
    const [item] = await source.read('page:///outline', { signal: pageKit.never })
    return { outline: JSON.parse(item?.text ?? ''), meta: item?._meta, type: item?.mimeType }
  })
  assert.deepEqual(got.outline, [
    { role: 'banner' },
    { role: 'heading', level: 1, name: 'The whole page' },
    { role: 'main' },
    { role: 'article', name: 'An article' },
    { role: 'heading', level: 2, name: 'An article' },
    { role: 'heading', level: 4, name: 'deeper' },
    { role: 'form' },
    { role: 'field', type: 'text', name: 'Name', required: true, value: 'redacted' },
    { role: 'field', type: 'email', name: 'E-mail' },
    { role: 'field', type: 'password', name: 'Password', value: 'redacted' },
    { role: 'field', type: 'text', name: 'Card' },
    { role: 'field', type: 'textarea', name: 'Notes', value: 'redacted' },
    { role: 'field', type: 'checkbox', name: 'Send me more', value: 'redacted' },
    { role: 'field', type: 'select', name: 'Colour', value: 'redacted' },
    { role: 'group', name: 'Options' },
    { role: 'field', type: 'text' },
    { role: 'contentinfo' },
  ])
  const lossy = got.meta?.['io.github.pagemcp/lossy']
  assert.deepEqual(
    lossy,
    [7, 9, 11, 12, 13].map((i) => `/${i}/value`),
  )
  assert.equal(got.type, 'application/json')
})

inBrowsers('what is private is left out, and that is said', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    pageKit.show(
      '<p>open</p><div data-mcp-private><h4>SECRET</h4><label>SECRET <input></label></div>',
    )
    const source = pageKit.page({ select: ['body'] })
    const read = async (part: string) => {
      const [item] = await source.read(`page:///${part}`, { signal: pageKit.never })
      return [item?.text, item?._meta?.['io.github.pagemcp/lossy']]
    }
    return [await read('text'), await read('outline')]
  })
  assert.deepEqual(got, [
    ['open', ['']],
    ['[]', ['']],
  ])
})

inBrowsers('a label outside of what may be read stays outside', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    pageKit.show(
      '<label for="x">SECRET</label><p id="y">SECRET</p><main><input id="x"><nav aria-labelledby="y">a</nav></main>',
    )
    return JSON.parse(await pageKit.read('page:///outline', pageKit.page({ select: ['main'] })))
  })
  assert.deepEqual(got, [{ role: 'main' }, { role: 'field', type: 'text' }, { role: 'navigation' }])
})

inBrowsers('the description is that of the document, without secrets', async ({ open }) => {
  const tab = await open(`${page.url()}?token=SECRET&page=2#access_token=SECRET`)
  const got = await tab.evaluate(async () => {
    document.title = 'A \u202etitle\u0007'
    const head = (html: string) => document.head.insertAdjacentHTML('beforeend', html)
    head('<meta name="Description" content="About it"><link rel="canonical" href="/c?code=SECRET">')
    const [item] = await pageKit
      .page({ select: ['main'] })
      .read('page:///meta', { signal: pageKit.never })
    return {
      meta: JSON.parse(item?.text ?? ''),
      lossy: item?._meta?.['io.github.pagemcp/lossy'],
    }
  })
  const origin = new URL(page.url()).origin
  assert.deepEqual(got.meta, {
    title: 'A title',
    url: `${origin}/?token=redacted&page=2#access_token=redacted`,
    language: 'en',
    description: 'About it',
    canonical: `${origin}/c?code=redacted`,
  })
  assert.deepEqual((got.lossy as string[]).sort(), ['/canonical', '/url'])
})

inBrowsers(
  'of what is selected, only what may be read and can be seen is read',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      pageKit.show(`<p id="out">outside</p><main><p id="one">first words</p><p style="display:none">HIDDEN</p>
      <p data-mcp-private>PRIVATE</p><p id="two">second words</p><input id="field" value="VALUE"></main><p id="end">outside</p>`)
      const source = pageKit.page({ select: ['main'] })
      const at = (id: string) => document.getElementById(id)?.firstChild as Text
      const select = async (...[a, from, b, to]: [Text, number, Text, number]) => {
        getSelection()?.setBaseAndExtent(a, from, b, to)
        return pageKit.read('page:///selection', source)
      }
      const texts = [
        await pageKit.read('page:///selection', source),
        await select(at('one'), 6, at('one'), 9),
        await select(at('one'), 6, at('two'), 6),
        await select(at('out'), 0, at('end'), 3),
        await select(at('two'), 6, at('one'), 6),
        await select(at('out'), 0, at('out'), 4),
      ]
      const field = document.getElementById('field') as HTMLInputElement
      field.focus()
      field.select()
      texts.push(await pageKit.read('page:///selection', source))
      return texts
    })
    assert.deepEqual(got, [
      '',
      'wor',
      'words\n\nsecond',
      'first words\n\nsecond words',
      'words\n\nsecond',
      '',
      '',
    ])
  },
)

inBrowsers('only the parts that are named can be read', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    pageKit.show('<article>one</article><aside>two <b>three</b></aside><p>four</p>')
    const source = pageKit.page({
      select: ['article', 'aside b', 'aside'],
      parts: ['text', 'meta'],
    })
    const { resources } = await source.list(undefined, { pageSize: 9, signal: pageKit.never })
    const refused = await pageKit.read('page:///outline', source).catch(({ name }) => name)
    return {
      uris: resources.map(({ uri }) => uri),
      text: await pageKit.read('page:///text', source),
      refused,
    }
  })
  assert.deepEqual(got, {
    uris: ['page:///text', 'page:///meta'],
    text: 'one\n\ntwo three',
    refused: 'NotFoundError',
  })
})

inBrowsers('selectors have to be named, and to parse', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(() =>
    [{}, { select: [] }, { select: [' '] }, { select: 'main' }, { select: ['p:'] }, undefined].map(
      (options) => {
        try {
          pageKit.page(options as never)
          return 'taken'
        } catch (error) {
          return (error as Error).name
        }
      },
    ),
  )
  assert.deepEqual(got, [...Array(4).fill('TypeError'), 'SyntaxError', 'TypeError'])
})
