/**
 * Content that calls home (security.md, S8): pages, records and files that are full of addresses of somebody else. An
 * assistant reads everything that the page serves, twice: the browser asks no network for it, the other one is asked
 * nothing, and nothing of the page changes.
 */

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crawl } from '../canary/crawl.ts'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'

const script = `
import { testClient } from '/test/harness/client.ts'
import { plant, serveAll } from '/test/canary/page.ts'
import * as pagemcp from '/pagemcp/index.js'
const mcp = await serveAll(pagemcp)
const client = testClient(mcp.port())
window.ask = async (...request) => JSON.stringify(await client.askModern(...request))
window.plant = plant
window.ready = true`

/** Somebody else's server; it counts who asks. */
async function home() {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { asked, url, close }
}

/** What would load something if a reader made elements, styles or documents of it. */
const bait = (url: string) => `
<img src="${url}/img"><img srcset="${url}/srcset 1x"><link rel="stylesheet" href="${url}/css">
<link rel="prefetch" href="${url}/prefetch"><script src="${url}/script"></script><iframe src="${url}/frame"></iframe>
<style>@import "${url}/import"; p { background: url(${url}/style) }</style><p style="background: url(${url}/inline)">x</p>
<video poster="${url}/poster" src="${url}/video"></video><object data="${url}/object"></object><embed src="${url}/embed">
<svg><image href="${url}/svg"/></svg><body background="${url}/body"><a href="${url}/a" ping="${url}/ping">link</a>
<meta http-equiv="refresh" content="0; url=${url}/refresh"><base href="${url}/base/">![x](${url}/markdown)`

inBrowsers('to read everything asks no network, and changes nothing', async ({ open }) => {
  const site = await servePages({ '/page.html': script, '/favicon.ico': '' })
  const evil = await home()
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    await tab.evaluate('plant()')
    // The planted image is loaded by the page, not by a reader: it is there before what is compared.
    await tab.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/favicon.ico')),
    )
    await tab.evaluate((bait) => {
      const main = document.querySelector('main') as HTMLElement
      const template = document.createElement('template') // in here nothing loads
      template.innerHTML = bait
      main.append(template)
      const text = document.createElement('p')
      text.textContent = bait
      const lazy = document.createElement('img')
      lazy.loading = 'lazy'
      lazy.style.marginTop = '90000px'
      lazy.src = `${/http:[^"]*/.exec(bait)?.[0]}/lazy`
      main.append(text, lazy)
      localStorage.setItem('draft:evil', bait)
    }, bait(evil.url))
    const requests: string[] = []
    tab.on('request', (request) => requests.push(request.url()))
    const ask = async (method: string, params: object) => {
      const text = (await tab.evaluate(`ask('${method}', ${JSON.stringify(params)})`)) as string
      return { answer: JSON.parse(text), text }
    }
    const state = () =>
      tab.evaluate(() => ({
        html: document.documentElement.outerHTML,
        scroll: [scrollX, scrollY],
        selected: String(getSelection()),
        stored: JSON.stringify({ ...localStorage }),
        entries: performance
          .getEntriesByType('resource')
          .map(({ name }) => name)
          .filter((name) => !name.includes('/pagemcp/')),
      }))
    const before = await state()
    const { bytes, uris } = await crawl(ask)
    assert.ok(uris.length >= 10, `${uris}`)
    assert.ok(bytes.includes('/srcset'), 'the bait is served as text')
    // The package loads files of its own when they are needed first: the converter to Markdown, readers of sources.
    assert.deepEqual(
      requests.filter((url) => !url.startsWith(`${site.origin}/pagemcp/`)),
      [],
    )
    requests.length = 0
    await crawl(ask)
    assert.deepEqual(requests, [], 'at the second time')
    assert.deepEqual(await state(), before)
    assert.deepEqual(evil.asked, [])

    // The twin: a reader that makes a document of what it reads, as many converters do.
    await tab.evaluate((bait) => {
      document.createElement('div').innerHTML = bait
    }, bait(evil.url))
    await tab.waitForFunction(
      (url) => performance.getEntriesByType('resource').some(({ name }) => name.startsWith(url)),
      { polling: 50 },
      evil.url,
    )
    assert.ok(evil.asked.length > 0)
  } finally {
    await evil.close()
    await site.close()
  }
})
