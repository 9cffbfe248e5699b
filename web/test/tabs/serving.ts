import type { Page } from 'puppeteer-core'
import type { TestBrowser } from '../harness/browsers.ts'
import { head, serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.tabKit

const script = '<script type="module" src="/test/tabs/page.ts"></script>'

/** Serves pages that know their tabs; the title is the path without its slash. */
export function servePage(): { url: (path?: string) => string } {
  const named = ['a', 'b', 'c', 'text', 'frame'].map((name) => [
    `/${name}`,
    `${head}<title>${name}</title>${script}${bodies[name] ?? ''}`,
  ])
  const { url } = serveKit('tabs/page.ts', {
    ...Object.fromEntries(named),
    '/plain': `${head}<title>plain</title>`,
  })
  return { url: (path = '/a') => url(path) }
}

const bodies: { readonly [name: string]: string } = {
  text: `<main><h1>Seen</h1><p>by a user</p><p style="display:none">HIDDEN</p>
    <p data-mcp-private>PRIVATE</p><input type="password" value="PASSWORD"></main>`,
  frame: '<iframe sandbox="allow-scripts" src="/a"></iframe>',
}

/** Opens a tab and waits until it knows itself. */
export async function openTab({ open }: TestBrowser, url: string): Promise<Page> {
  const page = await open(url)
  await known(page)
  return page
}

/** Waits until a page knows itself as a tab. */
export async function known(page: Page): Promise<void> {
  await page.waitForFunction('globalThis.tabKit !== undefined', { polling: 50 })
  await page.evaluate(() => tabKit.own())
}
