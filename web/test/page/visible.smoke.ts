// Text that nobody can see is not read, whatever hides it; and what can be seen is.

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './kit.ts' // declares globalThis.pageKit

const page = serveKit('page/kit.ts')

/** Ways to hide; the text in each has to stay away, the text "seen" beside it has to be there. */
const hidden: { readonly [how: string]: string } = {
  'display: none': '<p style="display: none">HIDDEN</p>',
  'the attribute hidden': '<p hidden>HIDDEN</p>',
  'hidden until found': '<p hidden="until-found">HIDDEN</p>',
  'an ancestor that is not displayed':
    '<div style="display:none"><p style="display:block">HIDDEN</p></div>',
  'visibility: hidden': '<p style="visibility: hidden">HIDDEN</p>',
  'visibility: collapse': '<table><tr style="visibility: collapse"><td>HIDDEN</table>',
  'opacity: 0': '<p style="opacity: 0">HIDDEN</p>',
  'opacities that make next to nothing':
    '<div style="opacity: .1"><p style="opacity: .1">HIDDEN</p></div>',
  'filter: opacity': '<p style="filter: opacity(0)">HIDDEN</p>',
  'aria-hidden': '<p aria-hidden="true">HIDDEN</p>',
  'off to the left': '<p style="position: absolute; left: -9999px">HIDDEN</p>',
  'off to the top': '<p style="position: absolute; top: -9999px">HIDDEN</p>',
  'far off to the right': '<p style="position: absolute; left: 9999px">HIDDEN</p>',
  'fixed outside of the window': '<p style="position: fixed; left: 100vw">HIDDEN</p>',
  'moved away': '<p style="transform: translateX(-9999px)">HIDDEN</p>',
  'text-indent': '<p style="text-indent: -9999px; overflow: hidden">HIDDEN</p>',
  'scaled to nothing': '<p style="transform: scale(0)">HIDDEN</p>',
  'font-size: 0': '<p style="font-size: 0">HIDDEN</p>',
  'transparent text': '<p style="color: transparent">HIDDEN</p>',
  'transparent fill': '<p style="-webkit-text-fill-color: rgb(0 0 0 / 0)">HIDDEN</p>',
  'a box without height': '<div style="height: 0; overflow: hidden">HIDDEN</div>',
  'the one pixel of screen readers':
    '<span style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0);white-space:nowrap">HIDDEN</span>',
  clip: '<p style="position: absolute; clip: rect(0, 0, 0, 0)">HIDDEN</p>',
  'clip-path: inset': '<p style="clip-path: inset(50%)">HIDDEN</p>',
  'clip-path: polygon': '<p style="clip-path: polygon(0 0, 0 0, 0 0)">HIDDEN</p>',
  'clip-path: circle': '<p style="clip-path: circle(0)">HIDDEN</p>',
  'content-visibility: hidden': '<p style="content-visibility: hidden">HIDDEN</p>',
  'closed details': '<details><summary>more</summary>HIDDEN<p>HIDDEN</details>',
  'what overflows':
    '<div style="height: 20px; overflow: hidden; line-height: 20px">seen<br>HIDDEN</div>',
  'words that are cut off':
    '<div style="width: 60px; overflow: hidden; white-space: nowrap">seen a great deal too long HIDDEN</div>',
  comment: '<!-- HIDDEN -->',
  template: '<template><p>HIDDEN</p></template>',
  noscript: '<noscript>HIDDEN</noscript>',
  script: '<script type="text/plain">HIDDEN</script>',
  style: '<style>.hidden { content: "HIDDEN" }</style>',
  attributes: '<p title="HIDDEN" data-x="HIDDEN" aria-label="HIDDEN">p</p><img alt="HIDDEN">',
  fallback: '<canvas>HIDDEN</canvas><object>HIDDEN</object><video>HIDDEN</video>',
  iframe: '<iframe srcdoc="<p>HIDDEN</p>">HIDDEN</iframe>',
  fields: '<input value="HIDDEN"><textarea>HIDDEN</textarea><select><option>HIDDEN</select>',
  'closed dialog': '<dialog>HIDDEN</dialog>',
  popover: '<div popover>HIDDEN</div>',
  'a title in a drawing':
    '<svg width="9" height="9"><title>HIDDEN</title><desc>HIDDEN</desc><defs><text>HIDDEN</text></defs></svg>',
  'data-mcp-private': '<div data-mcp-private><p>HIDDEN</p></div>',
  'what is in no slot': '<div class="host">HIDDEN<p>HIDDEN</p></div>',
}

inBrowsers('what nobody can see is not read', async ({ open }) => {
  const tab = await open(page.url())
  const leaks = await tab.evaluate(async (hidden) => {
    const wrong: string[] = []
    for (const [how, html] of Object.entries(hidden)) {
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

const shown: { readonly [how: string]: string } = {
  'far down the page': '<div style="height: 9000px"></div><p>SEEN</p>',
  'in a box that scrolls':
    '<div style="height: 50px; overflow: auto"><div style="height: 500px"></div><p>SEEN</p></div>',
  'scrolled out of such a box':
    '<div class="scrolled" style="height: 50px; overflow: auto"><p>SEEN</p><div style="height: 500px"></div></div>',
  'visible in what is hidden':
    '<div style="visibility: hidden"><p style="visibility: visible">SEEN</p></div>',
  'in a box without size that lets it overflow': '<div style="height: 0">SEEN</div>',
  'a gradient through the letters':
    '<p style="background: linear-gradient(red, blue); background-clip: text; color: transparent">SEEN</p>',
  'display: contents': '<div style="display: contents">SEEN</div>',
  'open details': '<details open><summary>more</summary>SEEN</details>',
  'inside a clipped box, positioned out of it':
    '<div style="height: 0; overflow: hidden"><p style="position: absolute">SEEN</p></div>',
  'fixed in the window': '<p style="position: fixed; top: 10px">SEEN</p>',
  'an open shadow tree': '<div class="open"></div>',
  'in a slot': '<div class="slotted"><b>SEEN</b></div>',
  'a closed shadow tree that shows what it is given': '<div class="closed"><b>SEEN</b></div>',
  'half of it faded': '<p style="opacity: .5">SEEN</p>',
  'a button': '<button>SEEN</button>',
  'a legend': '<fieldset><legend>SEEN</legend></fieldset>',
  'text in a drawing': '<svg width="99" height="40"><text y="20">SEEN</text></svg>',
  'a form whose fields have evil names':
    '<form>SEEN<input name="firstChild"><input name="childNodes"><input name="parentNode"><input name="getAttribute"><input name="localName"></form>',
  'beside pictures with evil names': '<img name="body"><img name="documentElement"><p>SEEN</p>',
}

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
