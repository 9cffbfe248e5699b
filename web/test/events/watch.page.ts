// The lines of `pagemcp watch`, which stands for a program that an assistant watches: what an event of a page prints, what a
// kill of the gateway, and what a reload. server/watch_test.go has the pace and the texts of all lines.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pass } from 'node:timers/promises'
import type { Page } from 'puppeteer-core'
import { servePages } from '../core/browser/built.ts'
import { type Gateway, pageUrl, program, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'

const app = `
import { start } from '/pagemcp/index.js'
const mcp = await start({ name: 'notes', access: 'open' })
window.saved = mcp.event('saved', { description: 'A note was saved.' })
window.join = (url) => mcp.connect(url).joined
window.ready = true`

/** How long a line may take, ms. */
const limit = 30_000

function watch({ state }: Gateway) {
  const child = spawn(program, ['watch', '--state', state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (text) => lines.push(text))
  return {
    /** How many lines so far fit. */
    count: (fits: RegExp) => lines.filter((line) => fits.test(line)).length,
    /** Waits until so many lines fit; `meanwhile` is done between two looks. */
    async has(count: number, fits: RegExp, meanwhile: () => Promise<unknown> = () => pass(50)) {
      const deadline = AbortSignal.timeout(limit)
      while (lines.filter((line) => fits.test(line)).length < count) {
        assert.ok(!deadline.aborted, `waited for ${count} lines with ${fits}: ${lines.join('\n')}`)
        await meanwhile()
      }
    },
    async end() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Joins a gateway; returns the name of the page there. */
async function join(tab: Page, gateway: Gateway): Promise<string> {
  await tab.waitForFunction('window.ready')
  return (await tab.evaluate(`join('${pageUrl(gateway)}')`)) as string
}

inBrowsers(
  'a kill of the gateway is one line, and no event is lost by it; a reload may lose some',
  async ({ open }) => {
    const site = await servePages({ '/app.html': app })
    const args = [`--allow-origin=${site.origin}`]
    let gateway = await startGateway({ command: 'serve', args, restarts: true })
    const own = watch(gateway)
    try {
      const tab = await open(`${site.origin}/app.html#${gateway.pairing?.replace(/^#/, '')}`)
      const name = await join(tab, gateway)
      const emit = (id: number) => tab.evaluate(`saved.emit({ id: ${id} })`)
      const happened = new RegExp(`${name}\\+event:///saved happened`)
      // It may have begun to watch at any time since its start.
      await own.has(1, happened, () => emit(1).then(() => pass(200)))
      const before = own.count(happened)
      await gateway.kill()
      await emit(2)
      gateway = await gateway.again()
      await own.has(1, /Z there was no connection to the gateway for a time: any resource may have/)
      await own.has(before + 1, happened)
      assert.equal(own.count(/no connection/), 1)
      await tab.reload()
      await join(tab, gateway)
      await own.has(
        1,
        new RegExp(
          `${name}\\+event:///saved \\(the page says: "A note was saved."\\): the page was loaded again`,
        ),
      )
    } finally {
      await own.end()
      await gateway.close()
      await site.close()
    }
  },
)
