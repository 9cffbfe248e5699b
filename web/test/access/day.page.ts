// A working day asks at most once for each assistant, app and right: three assistants, two apps, 300 requests, 20 reloads, three
// restarts of the gateway, two tabs of one app.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pass } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Page } from 'puppeteer-core'
import { servePages } from '../core/browser/built.ts'
import { type Gateway, ownPorts, pageUrl, post, program, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { app } from './app.ts'
import { click, takesClicks } from './person.ts'

declare const kit: { isAsked(): boolean; place(text: string): readonly [number, number] }
declare function place(): string | false

const assistants = ['claude-code', 'codex', 'gemini']
const requests = 300
const bursts = 20 // a reload after each
const atOnce = 5 // an answer may take 20 s, and a person a second for each question
const restarts = 3

const run = promisify(execFile)
const moment = { polling: 50, timeout: 5_000 } // ms

/**
 * A user: answers what is shown, and then looks at the tab that asks to be looked at. Between two looks passes a moment.
 */
async function person(tabs: readonly Page[], ended: AbortSignal, choices: readonly string[]) {
  let answered = 0
  const answerAll = async (tab: Page) => {
    while (await tab.evaluate(() => window.ready && kit.isAsked())) {
      await takesClicks(tab)
      await click(tab, choices[answered % choices.length] as string)
      answered++
      await pass(50)
    }
  }
  const look = async (tab: Page) => {
    if (!(await tab.title()).startsWith('(?)')) return
    await tab.bringToFront()
    await tab.waitForFunction(() => kit.isAsked() || !document.title.startsWith('(?)'), moment)
    await answerAll(tab)
  }
  // Of a document that is being reloaded.
  const isLeft = /timeout|context|navigat|detached|destroyed|closed|unavailable/i
  while (!ended.aborted) {
    for (const act of [answerAll, look]) {
      for (const tab of tabs) {
        await act(tab).catch((error: unknown) => {
          if (!isLeft.test(String(error))) throw error
        })
      }
    }
    await pass(50)
  }
}
declare global {
  interface Window {
    ready?: boolean
  }
}

inBrowsers(
  'a working day shows each question once',
  async ({ open }) => {
    const state = await mkdtemp(join(tmpdir(), 'pagemcp-day-'))
    const site = await servePages({ '/app.html': app })
    const ports = await ownPorts('serve')
    const start = () =>
      startGateway({ command: 'serve', state, args: [...ports, `--allow-origin=${site.origin}`] })
    let gateway: Gateway = await start()
    const over = new AbortController()
    try {
      const tokens = new Map<string, string>()
      for (const name of assistants) {
        const { stdout } = await run(program, ['token', 'add', name, '--state', state])
        tokens.set(name, stdout.trim())
      }
      const url = (name: string) =>
        `${site.origin}/app.html?access=ask&app=${name}&gateway=${encodeURIComponent(pageUrl(gateway))}`
      const joined = (tab: Page) =>
        tab.waitForFunction(() => window.ready && place(), { polling: 100 })
      const tabs: Page[] = []
      for (const name of ['notes', 'notes', 'tasks']) {
        const fragment = tabs.length === 0 ? `#${gateway.pairing}` : ''
        const tab = await open(url(name) + fragment)
        await joined(tab)
        tabs.push(tab)
      }
      const looking = person(tabs, over.signal, ['Allow this time', 'Allow always'])
      looking.catch(() => {}) // awaited below
      const ask = async (i: number) => {
        const tab = tabs[i % tabs.length] as Page
        const at = (await (await joined(tab)).jsonValue()) as string
        const token = tokens.get(assistants[(i >> 2) % assistants.length] as string) as string
        const as = { ...gateway, token }
        return i % 5 === 0
          ? post(as, 'tools/call', { name: 'add', arguments: {} }, at)
          : post(as, 'resources/read', { uri: `notes://${1 + (i % 2)}` }, at)
      }
      const size = requests / bursts
      for (let burst = 0; burst < bursts; burst++) {
        for (let first = burst * size; first < (burst + 1) * size; first += atOnce) {
          const all = Array.from({ length: atOnce }, (_, i) => ask(first + i))
          for (const answer of await Promise.all(all)) {
            assert.match(answer, /"text"/)
            assert.doesNotMatch(answer, /"error"/)
          }
        }
        await tabs[burst % tabs.length]?.reload()
        await joined(tabs[burst % tabs.length] as Page)
        if (
          burst > 0 &&
          burst % Math.floor(bursts / (restarts + 1)) === 0 &&
          burst / 5 <= restarts
        ) {
          await gateway.kill()
          gateway = await start()
          await Promise.all(
            tabs.map(async (tab) => {
              await tab.waitForFunction(() => place() !== false, { polling: 100 })
            }),
          )
        }
      }
      over.abort()
      await looking
      const answered = (await tabs[0]?.evaluate(() =>
        JSON.parse(localStorage.getItem('answered') ?? '[]'),
      )) as string[]
      const questions = assistants.flatMap((name) =>
        ['notes', 'tasks'].flatMap((app) => [
          `Allow ${name} to read ${app}?`,
          `Allow ${name} to use the tools of ${app}?`,
        ]),
      )
      assert.deepEqual(answered.sort(), questions.sort())
    } finally {
      over.abort()
      await site.close()
      await gateway.close()
      await rm(state, { recursive: true, force: true })
    }
  },
  { timeout: 280_000 },
)
