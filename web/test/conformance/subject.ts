/** The conformance page in a browser, behind a gateway, behind a front that adds the token. */

import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { type Gateway, ownPorts, startGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { oneBrowser } from '../harness/browsers.ts'
import { built } from '../harness/build.ts'
import { bundled } from '../harness/bundled.ts'
import { type Front, startFront } from '../harness/front.ts'
import { head } from '../harness/kit.ts'
import type { BrowserName } from '../harness/launch.ts'

const script = '<script type="module" src="main.js"></script><p id="state"></p>'

export interface Subject {
  gateway: Gateway
  front: Front
  page: Page
  /** Changes `test://watched-resource`, which changes by itself every 3 s only. */
  change(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts all of it, and waits until the page has joined.
 *
 * @param demo - which of the demos is opened
 * @param name - the browser
 */
export async function startSubject(demo: string, name: BrowserName = 'chromium'): Promise<Subject> {
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const one of stops.reverse()) await one()
  }
  try {
    const ports = await ownPorts()
    const origin = `http://${ports[1]?.replace('--web=', '')}` // its page uses the model of the assistant, and sees the roots
    const { directory, remove } = await withFixtures()
    stops.push(remove)
    const args = [...ports, '--allow-sampling', origin, '--files', directory]
    const gateway = await startGateway({ args })
    stops.push(() => gateway.close())
    const front = await startFront(demo, gateway)
    stops.push(() => front.close())
    const { browser, giveBack } = await oneBrowser(name)
    stops.push(() => giveBack(true))
    const context = await browser.createBrowserContext()
    stops.push(() => context.close())
    const page = await context.newPage()
    const url = gateway.pages[demo]
    if (url === undefined) throw new Error(`there is no demo ${demo}: ${gateway.log()}`)
    await page.evaluateOnNewDocument(keepInterval)
    await page.goto(url)
    await joined(page)
    const change = () => page.evaluate(() => (globalThis as unknown as { tick(): void }).tick())
    return { gateway, front, page, change, close: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The built files, and the page of the fixtures at demo/conformance/. */
async function withFixtures(): Promise<{ directory: string; remove(): Promise<void> }> {
  const files = await built()
  const directory = await mkdtemp(join(tmpdir(), 'pagemcp-fixtures-'))
  await cp(files.directory, directory, { recursive: true })
  const page = join(directory, 'demo/conformance')
  await mkdir(page, { recursive: true })
  const code = await bundled('conformance/page.ts', 'production', ['pagemcp'])
  // The policy of the server allows no import map.
  await writeFile(join(page, 'main.js'), code.replaceAll(/(["'])pagemcp\1/g, '"/pagemcp/index.js"'))
  await writeFile(join(page, 'index.html'), `${head}<title>Conformance</title>${script}`)
  return {
    directory,
    async remove() {
      await rm(directory, { recursive: true, force: true })
      await files.remove()
    },
  }
}

/** Makes what the page does every 3 s a function that tests call. */
function keepInterval() {
  const set = globalThis.setInterval
  globalThis.setInterval = ((act: () => void, ms: number) => {
    if (ms === 3000) Object.assign(globalThis, { tick: act })
    return set(act, ms)
  }) as typeof setInterval
}
