/** A page with events and a resource, joined to a gateway of its own. */

import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { servePages } from '../core/browser/built.ts'
import { type Gateway, ownPorts, pageUrl, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import type { Served } from '../harness/serve.ts'

const app = `
import * as lib from '/pagemcp/index.js'
const mcp = await lib.start({ name: 'notes', access: 'open' })
const cart = mcp.resource({ uri: 'notes://cart', name: 'Cart' }, { items: 0 })
const saved = mcp.event({ name: 'saved', description: 'A note was saved.' })
const shown = mcp.event({ name: 'shown', description: 'It may be shown.', show: true })
window.events = { saved, shown }
let items = 0
window.put = (many) => cart.set({ items: (items += many) })
window.join = (url) => mcp.connect(lib.webSocket(url)).joined
const button = document.body.appendChild(document.createElement('button'))
button.onclick = () => put(1)
window.ready = true`

/** What the page has for tests. */
export interface App {
  join(url: string): Promise<string>
  put(items: number): void
  events: Record<string, { emit(data: unknown): void }>
}

/** A gateway that one page has joined, and how to reach both. */
export interface World {
  tab: Page
  name: string
  gateway: Gateway
  /** Ends the gateway like a crash, and starts it again after `meanwhile`. */
  restart(meanwhile: () => Promise<unknown>): Promise<void>
}

/** Makes the site of the app for the tests of a file. */
export function useApp(): () => Served {
  let site: Served | undefined
  before(
    async () => {
      site = await servePages({ '/app.html': app })
    },
    { timeout: 300_000 },
  )
  after(() => site?.close())
  return () => {
    if (site === undefined) throw new Error('there is no site before the tests')
    return site
  }
}

/** Makes a test, in each browser, with a gateway and a page of its own. */
export function inWorlds(
  site: () => Served,
  behaviour: string,
  run: (world: World) => Promise<void>,
  timeout = 120_000,
): void {
  inBrowsers(
    behaviour,
    async ({ open }) => {
      const { origin } = site()
      const ports = await ownPorts('serve')
      const args = [`--allow-origin=${origin}`, ...ports]
      const first = await startGateway({ command: 'serve', args })
      const world = { gateway: first } as World
      try {
        const tab = await open(`${origin}/app.html#${first.pairing?.replace(/^#/, '')}`)
        await run(
          Object.assign(world, {
            tab,
            name: await join(tab, first),
            async restart(meanwhile: () => Promise<unknown>) {
              await world.gateway.kill()
              await meanwhile()
              world.gateway = await startGateway({ command: 'serve', args, state: first.state })
            },
          }),
        )
      } finally {
        await world.gateway.close()
        if (world.gateway !== first) await first.close() // removes its state
      }
    },
    { timeout },
  )
}

/** Joins a gateway; returns the name of the page there. */
export async function join(tab: Page, gateway: Gateway): Promise<string> {
  await tab.waitForFunction('window.ready')
  const url = pageUrl(gateway)
  return tab.evaluate((url) => (window as never as App).join(url), url)
}

export const emit = (tab: Page, name: string, data: unknown) =>
  tab.evaluate(
    (name, data) => (window as never as App).events[name]?.emit(data),
    name,
    data as never,
  )
