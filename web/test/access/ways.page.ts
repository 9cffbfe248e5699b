// By each way of the local gateway to a page in a browser, an assistant gets what the user has granted, and nothing else. The twin is open.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PageMcp } from '../../src/start.ts'
import { servePages } from '../core/browser/built.ts'
import { pageUrl, program, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { startFront } from '../harness/front.ts'
import { assistants, policyApp, rights } from './policy.ts'
import { disagreements, overHttp, overSocket, overStdio } from './ways.ts'

declare const mcp: PageMcp
declare global {
  interface Window {
    ready?: boolean
  }
}

const run = promisify(execFile)

for (const access of ['ask', 'open'] as const) {
  inBrowsers(
    `by each way to a page, every method agrees with the decisions of its user (${access})`,
    async ({ open }) => {
      const state = await mkdtemp(join(tmpdir(), 'pagemcp-ways-'))
      const script = `${policyApp}
const { webSocket } = await import('/pagemcp/index.js')
const { joined } = mcp.connect(webSocket(query.get('gateway')))
await joined
window.place = mcp.state.gateways.at(-1).name
window.ready = true`
      const site = await servePages({ '/app.html': script })
      const gateway = await startGateway({
        command: 'serve',
        state,
        args: [`--allow-origin=${site.origin}`, '--reads-per-second=1000'],
      })
      const wrong: string[] = []
      try {
        const pages = new Map<string, string>()
        for (const app of ['notes', 'mail'] as const) {
          const at = encodeURIComponent(pageUrl(gateway))
          const address = `${site.origin}/app.html?app=${app}&access=${access}&gateway=${at}`
          const tab = await open(pages.size === 0 ? `${address}#${gateway.pairing}` : address)
          await tab.waitForFunction('window.ready')
          pages.set(app, (await tab.evaluate('place')) as string)
          if (access === 'open') continue
          await tab.evaluate(async (own) => {
            for (const [assistant, rights] of Object.entries(own)) {
              await mcp.access.revoke(assistant) // nothing is asked
              for (const right of rights) await mcp.access.allow(assistant, right)
            }
          }, rights[app])
        }
        for (const assistant of assistants) {
          const { stdout } = await run(program, ['token', 'add', assistant, '--state', state])
          const front = await startFront(`ways ${assistant}`, {
            mcp: gateway.mcp,
            token: stdout.trim(),
          })
          try {
            for (const app of ['notes', 'mail'] as const) {
              const page = pages.get(app) as string
              const own: readonly string[] =
                access === 'open' ? ['read', 'act'] : rights[app][assistant]
              const ways = await Promise.all([
                overHttp(front.url(`/mcp/${page}`), 'modern'),
                overHttp(front.url(`/mcp/${page}`), 'classic'),
                overSocket(front.url('/ws'), 'modern'),
                overSocket(front.url('/ws'), 'classic'),
                overStdio(gateway, assistant, 'modern'),
                overStdio(gateway, assistant, 'classic'),
              ])
              const found = await disagreements(ways, page, own)
              wrong.push(...found.map((one) => `${assistant}: ${one}`))
            }
          } finally {
            await front.close()
          }
        }
      } finally {
        await gateway.close()
        await site.close()
        await rm(state, { recursive: true, force: true })
      }
      assert.deepEqual(wrong, [])
    },
    { timeout: 240_000 },
  )
}
