/** Our playground under load: in a frame, fed through a port by a worker, so that sending takes none of its time. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, Frame, Page } from 'puppeteer-core'
import { type Playground, servePlayground } from '../test/playground/harness.ts'

/** The results of one run. Times in ms. */
export interface Load {
  messages: number
  perSecond: number
  longestTask: number
  /** Tasks over 50 ms. */
  longTasks: number
  /** The same in CPU time of the thread, without the load of other programs. */
  longestWork: number
  longWork: number
  p99Frame: number
  /** MB after a collection. */
  heap: number
  /** `work`: of the main thread, until rendering has settled. */
  filters: readonly { filter: string; toPaint: number; shown: number; work: number }[]
  p99Scroll: number
}

/** A page of its own around the playground: https://…/embed.html?allow=… takes ports from it. */
const host = `<!doctype html><title>bench</title><style>html,body,iframe{margin:0;border:0;width:100%;height:100%}</style>
<iframe></iframe><script type="module" src="host.js"></script>`

const hostScript = `
const frame = document.querySelector('iframe')
const worker = new Worker('feed.js')
addEventListener('message', ({ data }) => {
  if (data?.pagemcp !== 'playground-ready') return
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ port: port2 }, [port2])
  frame.contentWindow.postMessage({ pagemcp: 'playground', title: 'Bench' }, location.origin, [port1])
})
frame.src = '/playground/embed.html?lang=en&allow=' + encodeURIComponent(location.origin)
globalThis.feed = (count, perSecond) => new Promise((resolve) => {
  worker.onmessage = () => resolve()
  worker.postMessage({ count, perSecond })
})
`

/** A server that answers `initialize`, and then sends notifications at the given rate. */
const feedScript = `
let port
let sent = 0
const update = (n) => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: {
  _meta: { 'io.modelcontextprotocol/subscriptionId': 2 }, uri: 'notes://item/' + (n % 500), revision: n,
  note: 'what a message of the usual length says about itself' } })
onmessage = ({ data }) => {
  if (data.port) {
    port = data.port
    port.onmessage = ({ data }) => {
      const { id, method } = typeof data === 'string' ? JSON.parse(data) : data
      if (id === undefined) return
      const known = method === 'server/discover'
      port.postMessage(JSON.stringify(known
        ? { jsonrpc: '2.0', id, result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {}, serverInfo: { name: 'bench', version: '1' }, ttlMs: 0, cacheScope: 'private' } }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }))
    }
    return
  }
  const { count, perSecond } = data
  const begin = performance.now()
  let done = 0
  const more = () => {
    const due = perSecond ? Math.min(count, Math.floor((performance.now() - begin) * perSecond / 1000)) : count
    for (; done < due; done++) port.postMessage(update(sent++))
    if (done < count) setTimeout(more, 4)
    else postMessage('done')
  }
  more()
}
`

export const served = (further: { readonly [path: string]: string }): Promise<Playground> =>
  servePlayground({
    ...further,
    '/bench/host.html': host,
    '/bench/host.js': hostScript,
    '/bench/feed.js': feedScript,
  })

/** Opens it and waits for its first answer. */
export async function open(browser: Browser, { origin }: Playground): Promise<[Page, Frame]> {
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  await page.setViewport({ width: 1400, height: 900 })
  await page.goto(`${origin}/bench/host.html`)
  const element = await page.waitForSelector('iframe')
  const frame = await element?.contentFrame()
  if (!frame) throw new Error('no frame')
  await frame.waitForSelector('html[data-ready]')
  await frame.waitForSelector('[data-row]')
  await frame.evaluate(observe)
  return [page, frame]
}

/** The measurements that the page under test makes itself. */
interface Observed {
  tasks: number[]
  frames: number[]
  reset(): void
}

declare global {
  var observed: Observed
  var feed: (count: number, perSecond: number) => Promise<void>
}

/** Runs in the page: collects long tasks, and the time from frame to frame. */
export function observe(): void {
  const observed: Observed = {
    tasks: [],
    frames: [],
    reset() {
      observed.tasks.length = 0
      observed.frames.length = 0
    },
  }
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
  globalThis.observed = observed
}

/** The value that 99 of 100 do not exceed. */
export const p99 = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * 0.99)] ?? 0

const rows = (frame: Frame): Promise<number> =>
  frame.evaluate(
    () => Number(document.querySelector('[role=grid]')?.getAttribute('aria-rowcount')) - 1,
  )

/** Feeds messages at a rate and then filters and scrolls them. */
export async function load(
  page: Page,
  frame: Frame,
  { messages, perSecond }: { messages: number; perSecond: number },
): Promise<Load> {
  const before = await rows(frame)
  await frame.evaluate(() => observed.reset())
  await page.tracing.start({ categories: ['-*', 'toplevel', '__metadata'] })
  await page.evaluate(
    // Not awaited: a call to the browser may take 30 s.
    (...args) => {
      feed(...args)
    },
    messages,
    perSecond,
  )
  while ((await rows(frame)) < before + messages) await sleep(1000) // ms
  const work = tasksOf(await page.tracing.stop())
  const { tasks, frames } = await frame.evaluate(() => ({ ...observed }))
  const heap = await heapOf(page)
  const filters = []
  const client = await page.createCDPSession()
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  for (const filter of ['uri:*item/42', 'dir:in kind:notification', '"revision":77', '>50ms', '']) {
    const begun = await workOf(client)
    const timed = await frame.evaluate(timeFilter, filter)
    filters.push({ filter, ...timed, work: (await workOf(client)) - begun })
  }
  await client.detach()
  const scrolls = await frame.evaluate(scrollThrough)
  return {
    messages,
    perSecond,
    longestTask: Math.max(0, ...tasks),
    longTasks: tasks.length,
    longestWork: Math.max(0, ...work),
    longWork: work.filter((time) => time > 50).length,
    p99Frame: p99(frames),
    heap,
    filters,
    p99Scroll: p99(scrolls),
  }
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

/** ms that the main thread ran in each of its longer tasks, from a trace. */
export function tasksOf(trace: Uint8Array | undefined): number[] {
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

/** CPU time of the main thread so far, ms. */
async function workOf(client: CDPSession): Promise<number> {
  const { metrics } = await client.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
}

/** MB in use after a garbage collection. */
async function heapOf(page: Page): Promise<number> {
  const client = await page.createCDPSession()
  await client.send('HeapProfiler.enable')
  await client.send('HeapProfiler.collectGarbage')
  const { usedSize } = await client.send('Runtime.getHeapUsage')
  await client.detach()
  return usedSize / 1e6
}

/** Runs in the page: from a filter's input to the paint of all matching rows. */
async function timeFilter(filter: string): Promise<{ toPaint: number; shown: number }> {
  const field = document.querySelector<HTMLInputElement>('#tl-filter')
  const grid = document.querySelector('[role=grid]')
  const count = () => Number(grid?.getAttribute('aria-rowcount')) - 1
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  if (!field) throw new Error('no filter')
  await frame()
  const begin = performance.now()
  field.value = filter
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  // It is painted after the frame; a message is handled right after that.
  let shown = -1
  let toPaint = 0
  for (let still = 0; still < 5; ) {
    await frame()
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resolve
      port2.postMessage(0)
    })
    if (count() === shown) still++
    else {
      still = 0
      shown = count()
      toPaint = performance.now() - begin
    }
  }
  return { toPaint, shown }
}

/** Runs in the page: from the first to the last row in two seconds; ms from frame to frame. */
async function scrollThrough(): Promise<number[]> {
  const list = document.querySelector('.tl-scroll')
  if (!list) throw new Error('no list')
  const frames: number[] = []
  const end = list.scrollHeight - list.clientHeight
  let last = performance.now()
  for (let step = 1; step <= 120; step++) {
    list.scrollTop = (end * step) / 120
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
    frames.push(now - last)
    last = now
  }
  return frames.slice(1)
}

/** A burst at full speed: ms of tasks over 50 ms, and until the last message was shown. */
export async function burst(
  page: Page,
  frame: Frame,
  count: number,
): Promise<{ blocked: number; shown: number }> {
  const before = await rows(frame)
  await frame.evaluate(() => observed.reset())
  const begin = performance.now()
  await page.evaluate((...args) => feed(...args), count, 0)
  await frame.waitForFunction(
    (most) => Number(document.querySelector('[role=grid]')?.getAttribute('aria-rowcount')) > most,
    { polling: 'raf' },
    before + count,
  )
  const shown = performance.now() - begin
  const tasks = await frame.evaluate(() => observed.tasks)
  return { blocked: tasks.reduce((sum, task) => sum + task, 0), shown }
}
