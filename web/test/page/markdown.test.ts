// The main content as Markdown: by the package as it is built, under a policy that asks for trusted types.

import assert from 'node:assert/strict'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { largeHtml, largeMarkdown } from './large.ts'

const policy = {
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self' data:; script-src 'self'; require-trusted-types-for 'script'; trusted-types test",
}

const script = `
import { page } from '/pagemcp/index.js'
const html = trustedTypes.createPolicy('test', { createHTML: (text) => text })
window.violations = []
addEventListener('securitypolicyviolation', ({ violatedDirective }) => violations.push(violatedDirective))
window.markdown = async (text, select = ['body']) => {
  document.body.innerHTML = html.createHTML(text)
  await Promise.all(Array.from(document.images, (image) => image.decode().catch(() => {})))
  const source = page({ select })
  const [item] = await source.read('page:///markdown', { signal: new AbortController().signal })
  return { text: item.text, type: item.mimeType, lossy: item._meta['io.github.pagemcp/lossy'] }
}
window.ready = true`

const article = `
<nav><a href="/">Home</a></nav>
<main>
  <h1>A <em>title</em></h1>
  <p>Some <strong>bold</strong> text with <a href="/next?token=SECRET&page=2">a link</a> and
    <a href="javascript:alert('SECRET')">none</a>. <span hidden>SECRET</span></p>
  <ul><li>one</li><li>two <code>code</code></li></ul>
  <ol start="3"><li>three</li></ol>
  <blockquote><p>quoted</p></blockquote>
  <pre><code>if (x) {
  y()
}</code></pre>
  <table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td data-mcp-private>SECRET</td></tr></tbody></table>
  <figure><img src="/pixel.svg" alt="SECRET" width="9" height="9"><figcaption>A figure</figcaption></figure>
  <form><label>Name <input value="SECRET"></label><button>Send</button></form>
  <aside>not the main thing</aside>
</main>
<footer>end</footer>`

inBrowsers('the main content is Markdown, without what is private or hidden', async ({ open }) => {
  const site = await servePages({ '/page.html': script }, policy)
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    type Got = { text: string; type: string; lossy?: string[] }
    const convert = (html: string, select?: string[]) =>
      tab.evaluate(`markdown(${JSON.stringify(html)}, ${JSON.stringify(select)})`) as Promise<Got>
    const { text, type, lossy } = await convert(article)
    assert.equal(type, 'text/markdown')
    assert.deepEqual(lossy, [''])
    const { origin } = site
    assert.equal(
      text,
      `# A *title*

Some **bold** text with [a link](${origin}/next?token=redacted&page=2) and none.

-   one
-   two \`code\`

3.  three

> quoted

\`\`\`
if (x) {
  y()
}
\`\`\`

| a   | b   |
| --- | --- |
| 1   |     |

![](${origin}/pixel.svg)

A figure

Name`,
    )
    const plain = await convert('<p>plain</p>')
    assert.deepEqual([plain.text, plain.lossy ?? 'whole'], ['plain', 'whole'])
    const two = await convert('<article>one</article><article>two</article>', ['article'])
    assert.equal(two.text, 'one\n\ntwo')
    assert.equal((await convert(largeHtml)).text, largeMarkdown(origin))
    assert.deepEqual(await tab.evaluate('violations'), [])
  } finally {
    await site.close()
  }
})
