/** `<mcp-playground>` of `pagemcp dev` in pages of other ports: those of this machine embed it, and no others. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { readMarkdown } from '../docs/markdown.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { built } from '../harness/build.ts'
import { browserUnderTest, close, launch } from '../harness/launch.ts'
import { type Served, serve } from '../harness/serve.ts'
import { type Gateway, startGateway } from './gateway.ts'

let gateway: Gateway

/** How the README of the playground embeds it. */
const readme = readFileSync(new URL('../../playground/README.md', import.meta.url), 'utf8')
const example = readMarkdown(readme).fences.find(({ language }) => language === 'html')?.text ?? ''

/** What the example leaves to the page: the engine, before it is connected. */
const engine = `
  import { start } from '/pagemcp/index.js'
  const mcp = await start({ name: 'host', title: 'My own page' })
  mcp.resource('host://greeting', { name: 'greeting' }, () => 'hello from the host')
  await customElements.whenDefined('mcp-playground')
`

/** The page of the README, on another port than the playground. */
const host = (web: string) =>
  `<!doctype html><title>host</title><link rel="icon" href="data:,">${example
    .replace('https://your.host/', web)
    .replace('<mcp-playground>', '<mcp-playground lang="en">')
    .replace('<script type="module">', (script) => script + engine)}`

/** Only a frame, for pages that cannot load the element. */
const frameAlone = (web: string) => `<!doctype html><title>frame</title>
<script>addEventListener('message', ({ data }) => { window.heard = data })</script>
<iframe src="${web}playground/embed.html?allow=*" onload="window.loaded = true"></iframe>`

let app: Served
before(async () => {
  const { directory } = await built()
  gateway = await startGateway()
  const { web } = gateway
  app = await serve({
    directories: { '/pagemcp/': `${directory}/pagemcp` },
    files: { '/': host(web), '/frame.html': frameAlone(web) },
  })
})
after(async () => {
  await app?.close()
  await gateway?.close()
})

async function showsGreeting(page: Page) {
  const frame = await page.waitForFrame((one) => one.url().includes('embed.html'))
  await frame.waitForFunction(() =>
    document.querySelector('[data-pane=explore]')?.textContent?.includes('host://greeting'),
  )
}

inBrowsers(
  'a page of another port shows the playground, connected to its engine',
  async ({ open }) => {
    for (const origin of [app.origin, app.otherOrigin]) await showsGreeting(await open(origin))
  },
)

const name = browserUnderTest
test(`a page of another site shows nothing (${name})`, { timeout: 60_000 }, async () => {
  const browser = await launch(name, {
    flags: ['--host-resolver-rules=MAP evil.example 127.0.0.1'],
    preferences: { 'network.dns.localDomains': 'evil.example' },
  })
  try {
    const evil = app.origin.replace('127.0.0.1', 'evil.example')
    const page = await browser.newPage()
    await page.goto(evil)
    const element = `${gateway.web}playground/element.js`
    const loads = (url: string) =>
      page.evaluate(async (url) => {
        const imported = await import(url).then(
          () => 'imported',
          () => 'refused',
        )
        const script = document.createElement('script')
        script.src = url
        const tagged = new Promise((resolve) => {
          script.onload = () => resolve('loaded')
          script.onerror = () => resolve('refused')
        })
        document.body.append(script)
        return [imported, await tagged]
      }, url)
    assert.deepEqual(await loads(element), ['refused', 'refused'])
    await page.goto(`${evil}/frame.html`)
    const frame = page.frames().find((one) => one !== page.mainFrame())
    // The browser shows its own error page there: the playground would tell its parent that it is ready.
    assert.equal(await page.evaluate('window.heard'), undefined)
    assert.ok(!(await frame?.content().catch(() => ''))?.includes('main.js'), frame?.url())
  } finally {
    await close(browser)
  }
})
