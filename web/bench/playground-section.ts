/** The mode playground: longest tasks and slowest frames of its scenes, in ms; and further figures, as lines of text. */

import type { Browser } from 'puppeteer-core'
import { close, launch } from '../test/harness/launch.ts'
import type { Playground } from '../test/playground/harness.ts'
import { burst, type Load, load, open, served } from './playground-ours.ts'
import { connectMany, many, type Scene, sceneFiles, tenPages } from './playground-scenes.ts'
import type { Rounds, Section } from './report.ts'

export interface PlaygroundOptions {
  /** Of the timeline. */
  messages?: number
  perSecond?: number
  rounds?: number
}

/** Notifications of the burst. */
const burstOf = 100

const quiet = {
  flags: ['--disable-background-timer-throttling', '--disable-renderer-backgrounding'],
}

const ms = (n: number) => `${n.toFixed(1)} ms`

/** Each round in the same browser, in pages of its own. */
export async function measurePlayground({
  messages = 100_000,
  perSecond = 2000,
  rounds = 3,
}: PlaygroundOptions = {}): Promise<Section> {
  const rows = new Map<string, Rounds>()
  const note = (workload: string, figures: Partial<Scene>) => {
    const row = rows.get(workload) ?? { workload, rounds: [] }
    row.rounds.push({ ...figures })
    rows.set(workload, row)
  }
  const playground = await served(sceneFiles)
  const browser = await launch('chromium', quiet)
  try {
    for (let i = 0; i < rounds; i++) {
      const { connecting, scrolling, elements } = await connectMany(browser, playground)
      note(`connect to a server with ${many.toLocaleString('en')} resources`, connecting)
      note('scroll through their list', scrolling)
      const [measured, short] = await timeline(browser, playground, { messages, perSecond })
      note(`${messages.toLocaleString('en')} messages at ${perSecond.toLocaleString('en')}/s`, {
        task: measured.longestTask,
        work: measured.longestWork,
        frame: measured.p99Frame,
      })
      note('scroll through them', { frame: measured.p99Scroll })
      note('ten pages at one gateway, 300 reads', await tenPages(browser))
      told(`elements with ${many} resources`, String(elements), '')
      tellDetails(measured, short)
    }
    const version = await browser.version()
    return { name: 'playground chromium', unit: 'ms', browser: version, rows: [...rows.values()] }
  } finally {
    await close(browser)
    await playground.kill()
  }
}

async function timeline(
  browser: Browser,
  playground: Playground,
  amount: { messages: number; perSecond: number },
) {
  const [page, frame] = await open(browser, playground)
  await burst(page, frame, burstOf) // warms up
  const short = await burst(page, frame, burstOf)
  const measured = await load(page, frame, amount)
  await page.close()
  return [measured, short] as const
}

/** Prints a figure that is not in the section. */
const told = (what: string, measured: string, budget: string) =>
  console.log(`${what.padEnd(64)} ${measured.padStart(20)}   ${budget}`)

function tellDetails(
  { longWork, heap, filters }: Load,
  { blocked, shown }: { blocked: number; shown: number },
) {
  told('messages: tasks over 50 ms by its own work', String(longWork), '0')
  told('  heap, collected', `${heap.toFixed(1)} MB`, '≤ 80 MB')
  for (const { filter, toPaint, shown, work } of filters) {
    told(`  filter ${filter || '(none)'}: ${shown} rows, to paint`, ms(toPaint), '≤ 50 ms')
    told('    its own work', ms(work), '')
  }
  told(`burst of ${burstOf} notifications: main thread blocked`, ms(blocked), '≤ 50 ms')
  told('  until the last one was painted', ms(shown), '')
}
