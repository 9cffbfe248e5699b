/** Further scenes of the playground's bench: a server with 10,000 resources, and ten pages at one gateway. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'puppeteer-core'
import { startGateway } from '../test/e2e/gateway.ts'
import { post } from '../test/harness/client.ts'
import type { Playground } from '../test/playground/harness.ts'
import { observe, p99, tasksOf } from './playground-ours.ts'

/** The results of a scene. Times in ms. */
export interface Scene {
  /** The longest task. */
  task: number
  /** The same in CPU time of the thread, without the load of other programs. */
  work: number
  /** 99 of 100 frames take no longer. */
  frame: number
}

/** Resources of the server: the number of the issue that reported a task of 847 ms. */
export const many = 10_005

/** How long the check of the messages, which begins once nothing moves, may take. */
const rest = 2000 // ms

const host = `<!doctype html><title>bench</title><style>html,body,iframe{margin:0;border:0;width:100%;height:100%}</style>
<iframe></iframe><script type="module" src="many.js"></script>`

const hostScript = `
const frame = document.querySelector('iframe')
const worker = new Worker('server.js')
addEventListener('message', ({ data }) => {
  if (data?.pagemcp === 'playground-ready') document.documentElement.dataset.ready = ''
})
frame.src = '/playground/embed.html?lang=en&allow=' + encodeURIComponent(location.origin)
globalThis.offer = () => {
  const { port1, port2 } = new MessageChannel()
  worker.postMessage(port2, [port2])
  frame.contentWindow.postMessage({ pagemcp: 'playground', title: 'Bench' }, location.origin, [port1])
}
`

const serverScript = `
const complete = { resultType: 'complete', ttlMs: 60000, cacheScope: 'private' }
const resources = Array.from({ length: ${many} }, (_, i) => ({
  uri: 'notes://item/' + i, name: 'note-' + i, title: 'Note ' + i, description: 'What note number ' + i + ' is about',
  mimeType: 'text/plain', size: 100 + i,
}))
const results = {
  'server/discover': { ...complete, supportedVersions: ['2026-07-28'], capabilities: { resources: { subscribe: true } } },
  'resources/list': { ...complete, resources },
  'resources/templates/list': { ...complete, resourceTemplates: [] },
}
onmessage = ({ data: port }) => {
  port.onmessage = ({ data }) => {
    const { id, method } = JSON.parse(data)
    if (id !== undefined) port.postMessage(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
  }
}
`

/** Files for the site of the bench. */
export const sceneFiles = {
  '/bench/many.html': host,
  '/bench/many.js': hostScript,
  '/bench/server.js': serverScript,
}

declare global {
  var offer: () => void
}

/** Traces what happens during `run`; `look` is the document that has the playground. */
async function traced(
  page: Page,
  look: Pick<Page, 'evaluate'>,
  run: () => Promise<unknown>,
): Promise<Scene> {
  await look.evaluate(() => observed.reset())
  await page.tracing.start({ categories: ['-*', 'toplevel', '__metadata'] })
  await run()
  const work = tasksOf(await page.tracing.stop())
  const { tasks, frames } = await look.evaluate(() => ({ ...observed }))
  return { task: Math.max(0, ...tasks), work: Math.max(0, ...work), frame: p99(frames) }
}

/** Connects to a server with 10,000 resources, and scrolls through their list. */
export async function connectMany(
  browser: Browser,
  { origin }: Playground,
): Promise<{ connecting: Scene; scrolling: Scene; elements: number }> {
  const page = await browser.newPage()
  await page.setViewport({ width: 1400, height: 900 })
  await page.goto(`${origin}/bench/many.html`)
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
  const elements = await frame.evaluate(() => document.querySelectorAll('*').length)
  const scrolling = await traced(page, frame, () =>
    frame.evaluate(async () => {
      const view = document.querySelector('#explore-view') as Element
      const end = view.scrollHeight - view.clientHeight
      for (let step = 1; step <= 120; step++) {
        view.scrollTop = (end * step) / 120
        await new Promise(requestAnimationFrame)
      }
    }),
  )
  await page.close()
  return { connecting, scrolling, elements }
}

/** Reads of each page. */
const reads = 30

/** Ten pages join one gateway in a browser, an assistant reads all of them, and the playground monitors that. */
export async function tenPages(browser: Browser): Promise<Scene> {
  const gateway = await startGateway()
  const opened: Page[] = []
  try {
    const open = async (path: string, ready: string) => {
      const page = await browser.newPage()
      opened.push(page)
      page.setDefaultTimeout(60_000)
      await page.goto(path)
      await page.waitForSelector(ready)
      return page
    }
    await open(gateway.start, '#state[data-is=paired]')
    const names: string[] = []
    for (let i = 0; i < 10; i++) {
      const page = await open(`${gateway.web}demo/notes/?lang=en`, '#state[data-is=joined]')
      names.push(
        await page.$eval('#state-text', (text) => text.textContent.split(' ').at(-1) ?? ''),
      )
    }
    const page = await open(`${gateway.web}playground/?quiet&lang=en`, 'html[data-ready]')
    await page.setViewport({ width: 1400, height: 900 })
    await page.click('.bar [data-command=gateway]')
    await (await page.waitForSelector('.front button[data-tap=""]'))?.click()
    await page.evaluate(observe)
    await sleep(rest)
    const rows = () =>
      page.$eval('[role=grid]', (grid) => Number(grid.getAttribute('aria-rowcount')))
    const before = await rows()
    return await traced(page, page, async () => {
      for (let i = 0; i < reads; i++) {
        const uri = 'idb:///notes-app/notes/n.2'
        await Promise.all(
          names.map((name) => post(gateway, 'resources/read', { uri: `${name}+${uri}` })),
        )
      }
      while ((await rows()) < before + 2 * reads * names.length) await sleep(200) // ms
      await sleep(rest)
    })
  } finally {
    for (const page of opened) await page.close()
    await gateway.close()
  }
}
