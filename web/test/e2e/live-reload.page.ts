/**
 * Live reload of `pagemcp dev` with as many tabs as there are pages: a browser opens six connections of HTTP/1.1 to a
 * host, so a tab may hold none of them while it waits for the next build.
 */

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { type Gateway, program, startGateway } from './gateway.ts'

/**
 * @param story - gets the server, and a function that starts it anew with other files: its config.json differs
 * @param sources - whether the server builds what it serves, as for users; otherwise it is built already
 */
async function withDev(
  story: (first: Gateway, restart: () => Promise<void>) => Promise<void>,
  sources: boolean,
) {
  let gateway = await startGateway({ sources, restarts: true })
  try {
    await story(gateway, async () => {
      await gateway.kill()
      gateway = await gateway.again('--no-token')
    })
  } finally {
    await gateway.close()
  }
}

/** Waits until the page knows which build the server serves. */
const isLive = (tab: Page) => tab.waitForSelector('html[data-version]')

/** Not the harness's open: Firefox reports an error of a page that is reloaded while it starts. */
async function openLive(context: BrowserContext, url: string): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(url)
  await isLive(tab)
  await tab.evaluate('void (window.marked = true)')
  return tab
}

async function isReloaded(tab: Page) {
  await tab.waitForFunction('window.marked === undefined')
  await isLive(tab)
}

inBrowsers(
  'all demos and the playground load at once, and each reloads when the files change',
  ({ context }) =>
    withDev(async ({ web, pages }, restart) => {
      const urls = [
        web,
        `${web}playground/?quiet&lang=en`,
        ...Object.keys(pages).map((name) => `${web}demo/${name}/`),
      ]
      const tabs = await Promise.all(urls.map((url) => openLive(context, url)))
      await restart()
      await Promise.all(tabs.map(isReloaded))
    }, true),
)

inBrowsers(
  'a page whose files change while it loads is reloaded, with its invitation',
  async ({ context }) => {
    const directory = await mkdtemp(join(tmpdir(), 'pagemcp-'))
    const write = (title: string) =>
      writeFile(
        join(directory, 'index.html'),
        `<!doctype html><base href="/elsewhere/"><title>${title}</title><script type="module" src="/app.js"></script>`,
      )
    await write('before')
    // As the package does: the invitation is taken out of the address.
    const app = `window.invitation = location.hash; history.replaceState(null, '', location.pathname)`
    await writeFile(join(directory, 'app.js'), app)
    const gateway = await startGateway({
      command: 'serve',
      args: ['--dir', '.', '--web', '127.0.0.1:0'],
      by: { command: program, args: [], cwd: directory, env: process.env },
    })
    try {
      const other = await openLive(context, gateway.web)
      const page = await context.newPage()
      await page.setRequestInterception(true)
      const scriptRequest = new Promise<() => void>((resolve) => {
        let isHeld = false
        page.on('request', (request) => {
          if (isHeld || !request.url().includes('/live.js')) return void request.continue()
          isHeld = true
          resolve(() => request.continue())
        })
      })
      const loading = page.goto(`${gateway.web}#pagemcp=a`).catch(() => {}) // it is reloaded
      const release = await scriptRequest
      await write('after')
      // It is behind the other tab, and draws no frames there.
      await other.waitForFunction(() => document.title === 'after', { polling: 100 })
      release()
      await loading
      await page.waitForFunction(
        () => document.title === 'after' && 'invitation' in window && window.invitation !== '',
      )
      assert.equal(await page.evaluate(() => location.pathname), '/')
    } finally {
      await gateway.close()
      await rm(directory, { recursive: true, force: true })
    }
  },
)
