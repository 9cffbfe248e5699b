/**
 * `make bench-watch`: from a click in the tasks demo to the line of `pagemcp watch` about it, in a tab that is visible
 * and in one that is hidden. It is not a test, and never fails on a time.
 *
 *     node bench/watch.ts [--clicks 50] [--pause 1500] [--browsers chromium,firefox]
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pass } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'puppeteer-core'
import { type Gateway, program, startGateway } from '../test/e2e/gateway.ts'
import { type BrowserName, browserNames, close, launch } from '../test/harness/launch.ts'

const { values: flags } = parseArgs({
  options: {
    browsers: { type: 'string', default: browserNames.join(',') },
    clicks: { type: 'string', default: '50' },
    pause: { type: 'string', default: '1500' }, // ms: more than the second in which there is one line
  },
})

/** How long a line may take before its click counts as lost. */
const longest = 5_000 // ms

/** The part of a line of `watch --json` that is looked at. */
interface Report {
  resources?: { uri: string }[]
}

/** A click that waits for the line about its task. */
interface Waiting {
  uri: string
  arrived(): void
}

/** Runs `pagemcp watch`, and calls back with each report when its line comes. */
function watching(gateway: Gateway, report: (report: Report) => void): ChildProcess {
  const child = spawn(program, ['watch', '--json', '--state', gateway.state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  createInterface({ input: child.stdout }).on('line', (line) => report(JSON.parse(line)))
  return child
}

/** Clicks the box of a task, and returns the ms from the click to its line; undefined: no line came. */
async function clicked(page: Page, id: number, wait: (waiting: Waiting) => void) {
  const line = new Promise<number | undefined>((resolve) => {
    const late = setTimeout(() => resolve(undefined), longest)
    const arrived = () => {
      clearTimeout(late)
      resolve(Date.now())
    }
    wait({ uri: `idb:///tasks-app/tasks/n.${id}`, arrived })
  })
  // The clock of the machine is the browser's, too.
  const at = await page.$eval(`#done-${id}`, (box) => {
    ;(box as HTMLInputElement).click()
    return Date.now()
  })
  const came = await line
  return came === undefined ? undefined : came - at
}

async function measure(browser: Browser, gateway: Gateway, isHidden: boolean) {
  const page = await browser.newPage()
  const { pages } = await gateway.fresh()
  await page.goto(pages.tasks as string)
  await page.waitForSelector('#state[data-is=joined]', { timeout: 20_000 })
  await page.click('[data-show=all]') // in the first list, tasks that are done are hidden
  if (isHidden) await (await browser.newPage()).bringToFront()
  const waiting = new Set<Waiting>()
  let lines = 0
  const watch = watching(gateway, ({ resources = [] }) => {
    lines++
    for (const one of waiting) {
      if (!resources.some(({ uri }) => uri.endsWith(one.uri))) continue
      waiting.delete(one)
      one.arrived()
    }
  })
  try {
    const times: (number | undefined)[] = []
    for (let i = -3; i < Number(flags.clicks); i++) {
      const time = await clicked(page, 1 + ((i + 3) % 4), (one) => waiting.add(one))
      if (i >= 0) times.push(time) // the first ones warm up, and watch has begun with their lines
      if (i === -1) lines = 0
      await pass(Number(flags.pause))
    }
    const hidden = await page.evaluate(() => document.hidden)
    if (hidden !== isHidden) throw new Error(`the tab is ${hidden ? 'hidden' : 'visible'}`)
    return { times, lines }
  } finally {
    watch.kill()
    for (const one of await browser.pages()) await one.close().catch(() => {})
  }
}

const ms = (sorted: number[], part: number) =>
  String(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? '—').padStart(6)

async function row(name: BrowserName, gateway: Gateway, isHidden: boolean) {
  const browser = await launch(name)
  try {
    const { times, lines } = await measure(browser, gateway, isHidden)
    const sorted = times.filter((time) => time !== undefined).sort((a, b) => a - b)
    const title = `${name}, ${isHidden ? 'hidden' : 'visible'}`.padEnd(20)
    const lost = times.length - sorted.length
    console.log(
      `${title} ${[0.5, 0.9, 0.99, 1].map((part) => ms(sorted, part)).join('')} ${String(times.length).padStart(8)} ${String(lost).padStart(8)} ${String(lines).padStart(8)}`,
    )
  } finally {
    await close(browser)
  }
}

console.log('from click to line, ms   p50   p90   p99   max   clicks     lost    lines')
for (const name of browserNames.filter((one) => flags.browsers.split(',').includes(one))) {
  for (const isHidden of [false, true]) {
    const gateway = await startGateway()
    await row(name, gateway, isHidden).finally(() => gateway.close())
  }
}
