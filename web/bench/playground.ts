/**
 * `make bench-playground`: the playground's timeline under load, beside its budgets, and a burst of
 * notifications in ours and in MCP Inspector. It is not a test, and never fails on a time.
 *
 *     node bench/playground.ts [--messages 100000] [--rate 2000] [--no-inspector]
 */

import { parseArgs } from 'node:util'
import { close, launch } from '../test/harness/launch.ts'
import { inspectorBurst } from './playground-inspector.ts'
import { burst, load, open, served } from './playground-ours.ts'

const { values: flags } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    rate: { type: 'string', default: '2000' },
    'no-inspector': { type: 'boolean', default: false },
  },
})

/** Notifications of the burst. */
const burstOf = 100

const quiet = {
  flags: ['--disable-background-timer-throttling', '--disable-renderer-backgrounding'],
}

const row = (what: string, measured: string, budget: string) =>
  console.log(`${what.padEnd(52)} ${measured.padStart(12)}   ${budget}`)

const ms = (n: number) => `${n.toFixed(1)} ms`

async function ours() {
  const playground = await served()
  const browser = await launch('chromium', quiet)
  try {
    const [page, frame] = await open(browser, playground)
    await burst(page, frame, burstOf) // warms up
    const short = await burst(page, frame, burstOf)
    const messages = Number(flags.messages)
    const measured = await load(page, frame, { messages, perSecond: Number(flags.rate) })
    console.log(await browser.version())
    row(
      `${messages} messages at ${flags.rate}/s: tasks over 50 ms`,
      String(measured.longTasks),
      '0',
    )
    row('  longest of them', ms(measured.longestTask), '≤ 50 ms')
    row('  the same by its own work: tasks over 50 ms', String(measured.longWork), '0')
    row('  longest of them', ms(measured.longestWork), '≤ 50 ms')
    row('  p99 from frame to frame', ms(measured.p99Frame), '≤ 20 ms')
    row('  heap, collected', `${measured.heap.toFixed(1)} MB`, '≤ 80 MB')
    for (const { filter, toPaint, shown, work } of measured.filters) {
      row(`  filter ${filter || '(none)'}: ${shown} rows, to paint`, ms(toPaint), '≤ 50 ms')
      row('    its own work', ms(work), '')
    }
    row('  scrolled from end to end, p99 frame', ms(measured.p99Scroll), '≤ 25 ms')
    row(`burst of ${burstOf} notifications: main thread blocked`, ms(short.blocked), '≤ 50 ms')
    row('  until the last one was painted', ms(short.shown), '')
  } finally {
    await close(browser)
    await playground.close()
  }
}

async function theirs() {
  const browser = await launch('chromium', quiet)
  try {
    const { blocked, longest, shown } = await inspectorBurst(browser, burstOf)
    row(`the same in MCP Inspector 2.12.0: main thread blocked`, ms(blocked), '')
    row('  longest task', ms(longest), '')
    row('  until the last one was shown', ms(shown), '')
  } finally {
    await close(browser)
  }
}

await ours()
if (!flags['no-inspector']) await theirs()
