/**
 * The mode playground: longest tasks and slowest frames, in ms, of the playground in a frame. Its server is a Worker of
 * the page around it, so that sending takes none of its time.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Frame, Page } from 'puppeteer-core'
import { close, launch } from '../test/harness/launch.ts'
import { servePlayground } from '../test/playground/harness.ts'
import type { Rounds, Section } from './report.ts'

const resources = 10_005
const messages = 100_000
const perSecond = 2000

/** How long the check of the messages, which begins once nothing moves, may take. */
const rest = 2000 // ms

const host = `<!doctype html><title>bench</title><style>html,body,iframe{margin:0;border:0;width:100%;height:100%}</style>
<iframe></iframe><script type="module" src="host.js"></script>`

const hostScript = `
const frame = document.querySelector('iframe')
const worker = new Worker('server.js')
addEventListener('message', ({ data }) => {
  if (data?.pagemcp === 'playground-ready') document.documentElement.dataset.ready = ''
})
frame.src = '/playground/embed.html?lang=en&allow=' + encodeURIComponent(location.origin)
globalThis.offer = () => {
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ port: port2 }, [port2])
  frame.contentWindow.postMessage({ pagemcp: 'playground', title: 'Bench' }, location.origin, [port1])
}
globalThis.feed = (count, perSecond) => worker.postMessage({ count, perSecond })
`

const serverScript = `
let port
const complete = { resultType: 'complete', ttlMs: 60000, cacheScope: 'private' }
const resources = Array.from({ length: ${resources} }, (_, i) => ({
  uri: 'notes://item/' + i, name: 'note-' + i, title: 'Note ' + i, description: 'What note number ' + i + ' is about',
  mimeType: 'text/plain', size: 100 + i,
}))
const results = {
  'server/discover': { ...complete, supportedVersions: ['2026-07-28'], capabilities: { resources: { subscribe: true } }, serverInfo: { name: 'bench', version: '1' } },
  'resources/list': { ...complete, resources },
  'resources/templates/list': { ...complete, resourceTemplates: [] },
}
const update = (n) => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: {
  _meta: { 'io.modelcontextprotocol/subscriptionId': 2 }, uri: 'notes://item/' + (n % 500), revision: n,
  note: 'what a message of the usual length says about itself' } })
function feed({ count, perSecond }) {
  const begin = performance.now()
  let done = 0
  const more = () => {
    const due = Math.min(count, Math.floor((performance.now() - begin) * perSecond / 1000))
    for (; done < due; done++) port.postMessage(update(done))
    if (done < count) setTimeout(more, 4)
  }
  more()
}
onmessage = ({ data }) => {
  if (!data.port) return feed(data)
  port = data.port
  port.onmessage = ({ data }) => {
    const { id, method } = JSON.parse(data)
    if (id !== undefined) port.postMessage(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
  }
}
`

/** The results of a scene, in ms. */
interface Scene {
  [figure: string]: number
  /** The longest task. */
  task: number
  /** The same in CPU time of the thread, without the load of other programs. */
  work: number
  /** 99 of 100 frames take no longer. */
  frame: number
}

declare global {
  var observed: { tasks: number[]; frames: number[] }
  var offer: () => void
  var feed: (count: number, perSecond: number) => void
}

/** Runs in the page: collects long tasks, and the time from frame to frame. */
function observe(): void {
  globalThis.observed = { tasks: [], frames: [] }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) observed.tasks.push(duration)
  }).observe({ type: 'longtask' })
  let last = performance.now()
  const tick = (now: number) => {
    observed.frames.push(now - last)
    last = now
    requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
}

/** Traces what happens during `run`. */
async function traced(page: Page, frame: Frame, run: () => Promise<unknown>): Promise<Scene> {
  await frame.evaluate(() => {
    observed.tasks.length = observed.frames.length = 0
  })
  await page.tracing.start({ categories: ['-*', 'toplevel', '__metadata'] })
  await run()
  const work = tasksOf(await page.tracing.stop())
  const { tasks, frames } = await frame.evaluate(() => observed)
  const p99 = frames.sort((a, b) => a - b)[Math.floor(frames.length * 0.99)] ?? 0
  return { task: Math.max(0, ...tasks), work: Math.max(0, ...work), frame: p99 }
}

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  args: { name?: string }
  /** µs that the thread ran. */
  tdur?: number
}

/** ms that the main threads ran in each of their longer tasks, from a trace. */
function tasksOf(trace: Uint8Array | undefined): number[] {
  if (!trace) throw new Error('no trace')
  const { traceEvents } = JSON.parse(Buffer.from(trace).toString()) as { traceEvents: TraceEvent[] }
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  return traceEvents
    .filter(({ name, ph }) => ph === 'X' && name.endsWith('RunTask'))
    .filter(({ pid, tid, tdur = 0 }) => tdur > 5000 && main.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000)
}

/** Runs in the page: scrolls from the first to the last row in two seconds. */
async function scrollThrough(selector: string): Promise<void> {
  const view = document.querySelector(selector)
  if (!view) throw new Error(`no ${selector}`)
  const end = view.scrollHeight - view.clientHeight
  for (let step = 1; step <= 120; step++) {
    view.scrollTop = (end * step) / 120
    await new Promise(requestAnimationFrame)
  }
}

const rows = (frame: Frame): Promise<number> =>
  frame.evaluate(
    () => Number(document.querySelector('[role=grid]')?.getAttribute('aria-rowcount')) - 1,
  )

/** Connects to a server with 10,000 resources, which then sends 100,000 messages, and scrolls through both. */
async function scenes(page: Page, origin: string): Promise<{ [workload: string]: Scene }> {
  page.setDefaultTimeout(120_000)
  await page.setViewport({ width: 1400, height: 900 })
  await page.goto(`${origin}/bench/host.html`)
  const frame = await (await page.waitForSelector('html[data-ready] iframe'))?.contentFrame()
  if (!frame) throw new Error('no frame')
  await frame.waitForFunction(() =>
    document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content'),
  )
  await frame.evaluate(observe)
  await sleep(rest)
  const connecting = await traced(page, frame, async () => {
    await page.evaluate(() => offer())
    await frame.waitForFunction(() => document.querySelectorAll('.thing').length >= 20)
    await sleep(rest)
  })
  const listed = await traced(page, frame, () => frame.evaluate(scrollThrough, '#explore-view'))
  const before = await rows(frame)
  const received = await traced(page, frame, async () => {
    await page.evaluate((...args) => feed(...args), messages, perSecond)
    while ((await rows(frame)) < before + messages) await sleep(1000) // ms
  })
  const logged = await traced(page, frame, () => frame.evaluate(scrollThrough, '.tl-scroll'))
  return {
    [`connect to a server with ${resources.toLocaleString('en')} resources`]: connecting,
    'scroll through their list': listed,
    [`${messages.toLocaleString('en')} messages at ${perSecond.toLocaleString('en')}/s`]: received,
    'scroll through them': logged,
  }
}

/** Each round in the same browser, in a page of its own. */
export async function measurePlayground(rounds = 3): Promise<Section> {
  const measured = new Map<string, Rounds>()
  const playground = await servePlayground({
    '/bench/host.html': host,
    '/bench/host.js': hostScript,
    '/bench/server.js': serverScript,
  })
  const flags = ['--disable-background-timer-throttling', '--disable-renderer-backgrounding']
  const browser = await launch('chromium', { flags })
  try {
    for (let i = 0; i < rounds; i++) {
      const page = await browser.newPage()
      for (const [workload, figures] of Object.entries(await scenes(page, playground.origin))) {
        const row = measured.get(workload) ?? { workload, rounds: [] }
        row.rounds.push(figures)
        measured.set(workload, row)
      }
      await page.close()
    }
    const version = await browser.version()
    const rows = [...measured.values()]
    return { name: 'playground chromium', unit: 'ms', browser: version, rows }
  } finally {
    await close(browser)
    await playground.kill()
  }
}
