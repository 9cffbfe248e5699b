/**
 * 200 reloads and 50 gateway kills under 20 official clients with 50 subscriptions each, half of either era: no manual
 * step, and after each fault every client learns of every resource that changed meanwhile (P3, P4). RELOADS= and KILLS=
 * lower the counts. Figures are printed, also when a round fails, as `RELIABILITY <tab> figure <tab> goal <tab> measured`.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import {
  type Assistant,
  away,
  classic,
  joinedAs,
  MissingUpdates,
  modern,
  options,
  type Setting,
  setting,
} from './kit.ts'

const reloads = Number(process.env.RELOADS ?? 200)
const kills = Number(process.env.KILLS ?? 50)
const clients = 20
const subscriptions = 50

/** How long a client may take to learn of all changes after a fault, ms. */
const patience = 30_000

/** Rounds whose memory is not compared: heap and caches reach their size meanwhile. */
const warmUp = (rounds: number) => Math.min(20, Math.floor(rounds / 3))

inBrowsers('reloads', (browser) => soak(browser, reloads, reload), {
  timeout: 1_200_000,
})
inBrowsers('kills of the gateway', (browser) => soak(browser, kills, kill), {
  timeout: 1_200_000,
})

/** Causes a fault, changes every resource while it lasts, and returns how long the page took to be back, in ms. */
type Fault = (at: Setting, page: Page, value: number) => Promise<number>

async function reload(_: Setting, page: Page, value: number): Promise<number> {
  await page.evaluate(`setMany(${value})`) // announcements of the old document may be lost
  const began = performance.now()
  await page.reload()
  await joinedAs(page)
  return performance.now() - began
}

async function kill(at: Setting, page: Page, value: number): Promise<number> {
  await at.kill()
  await away(page)
  await page.evaluate(`setMany(${value})`)
  const [began] = await Promise.all([answering(at.gateway.mcp), at.restart()])
  await joinedAs(page)
  return performance.now() - began
}

async function soak(browser: Parameters<Setting['open']>[0], count: number, fault: Fault) {
  const at = await setting('serve')
  const all: Assistant[] = []
  try {
    const { page, name } = await at.open(browser, `?many=${subscriptions}`)
    const uris = Array.from({ length: subscriptions }, (_, i) => `${name}+app://many/${i}`)
    for (let i = 0; i < clients; i++) {
      const client = await (i % 2 === 0 ? classic : modern)(at.gateway)
      await client.subscribe(...uris)
      all.push(client)
    }
    const figures = await rounds(at, page, all, uris, name, count, fault)
    print(`${fault.name}s, ${browser.name}`, figures)
    if (figures.failure) throw figures.failure
    const { back, memory, lost } = figures
    assert.equal(lost, 0, 'changes of which a client did not learn')
    assert.ok(percentile(back, 0.99) <= 3000, `back: ${back.map(Math.round).join(' ')}`)
    const growth = growthOf(memory)
    assert.ok(Math.abs(growth) <= 5, `memory in MB: ${memory.map(Math.round).join(' ')}`)
  } finally {
    await Promise.allSettled(all.map((client) => client.close()))
    await at.close()
  }
}

/** What rounds have shown, also when one of them failed. */
interface Figures {
  /** How long the page took to be back, ms, by round. */
  back: number[]
  /** How long it took from then until all clients had learned of all changes, ms, by round without a loss. */
  learned: number[]
  /** Of the gateway after each round, MB. */
  memory: number[]
  /** Updates that did not come, of all clients. */
  lost: number
  /** Reads that were refused as busy. */
  refused: number
  /** Why there are fewer rounds than asked for. */
  failure?: unknown
}

async function rounds(
  at: Setting,
  page: Page,
  all: readonly Assistant[],
  uris: readonly string[],
  name: string,
  count: number,
  fault: Fault,
): Promise<Figures> {
  const figures: Figures = { back: [], learned: [], memory: [], lost: 0, refused: 0 }
  try {
    for (let round = 1; round <= count; round++) {
      const missing = Promise.all(all.map((client) => missingOf(client, uris)))
      missing.catch(() => {}) // awaited below
      figures.back.push(await fault(at, page, round))
      assert.equal(await joinedAs(page), name)
      const since = performance.now()
      const lost = (await missing).reduce((sum, one) => sum + one, 0)
      figures.lost += lost
      if (lost === 0) figures.learned.push(performance.now() - since)
      const reader = all[round % clients] as Assistant
      figures.refused += await readAs(reader, uris[round % subscriptions] ?? '', String(round))
      figures.memory.push(rss(at.gateway.pid))
    }
  } catch (error) {
    figures.failure = error
  }
  return figures
}

/** How many updates a client missed. */
async function missingOf(client: Assistant, uris: readonly string[]): Promise<number> {
  try {
    await client.updates(uris, patience)
    return 0
  } catch (error) {
    if (error instanceof MissingUpdates) return error.uris.length
    throw error
  }
}

function print(what: string, { back, learned, memory, lost, refused }: Figures) {
  const all = `${memory.length} ${what}`
  const seconds = (values: readonly number[], part: number) =>
    `${(percentile(values, part) / 1000).toFixed(2)} s`
  figure(`${all}: back, median`, '-', seconds(back, 0.5))
  figure(`${all}: back, p99`, '<= 3 s', seconds(back, 0.99))
  figure(`${all}: all clients have learned of all changes, p99`, '-', seconds(learned, 0.99))
  const changes = memory.length * clients * subscriptions
  figure(`${all}: changes lost, of ${changes}`, '0', String(lost))
  figure(`${all}: reads refused as busy`, '0', String(refused))
  figure(`${all}: memory of the gateway`, '+- 5 MB', `${growthOf(memory).toFixed(1)} MB`)
}

/** Reads until the gateway is not busy with what the fault has left to do; returns how often it was. */
async function readAs(reader: Assistant, uri: string, expected: string): Promise<number> {
  for (let refused = 0; ; refused++) {
    try {
      assert.equal(await reader.read(uri), expected)
      return refused
    } catch (error) {
      if (!String(error).includes('"busy"') || refused === 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** Waits until the gateway answers HTTP; returns when, ms. */
async function answering(url: string): Promise<number> {
  for (;;) {
    try {
      await fetch(url, { signal: AbortSignal.timeout(options.timeout) })
      return performance.now()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

/** By how much the last third of the figures is above the first, without those of the beginning. */
function growthOf(figures: readonly number[]): number {
  const from = figures.slice(warmUp(figures.length))
  const third = Math.max(1, Math.floor(from.length / 3))
  return median(from.slice(-third)) - median(from.slice(0, third))
}

/** Resident memory of a process, MB. */
function rss(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1]) / 1000
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)
const percentile = (values: readonly number[], part: number) =>
  sorted(values)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? Number.NaN
const median = (values: readonly number[]) => percentile(values, 0.5)

function figure(name: string, goal: string, measured: string) {
  console.log(['RELIABILITY', name, goal, measured].join('\t'))
}
