/** The conformance page in a browser, behind a gateway, behind a front that adds the token. */

import type { Page } from 'puppeteer-core'
import { type Gateway, ownPorts, startGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { oneBrowser } from '../harness/browsers.ts'
import { type Front, startFront } from '../harness/front.ts'
import type { BrowserName } from '../harness/launch.ts'

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
    const gateway = await startGateway({ args: [...ports, '--allow-sampling', origin] })
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

/** Makes what the page does every 3 s a function that tests call. */
function keepInterval() {
  const set = globalThis.setInterval
  globalThis.setInterval = ((act: () => void, ms: number) => {
    if (ms === 3000) Object.assign(globalThis, { tick: act })
    return set(act, ms)
  }) as typeof setInterval
}
