/**
 * `make bench-playground`: the playground under load, beside its budgets: a server with 10,000 resources, 100,000
 * messages, ten pages at one gateway, and a burst of notifications in ours and in MCP Inspector. It is not a test, and
 * never fails on a time. `make bench ARGS=playground` measures the same scenes for RESULTS.md.
 *
 *     node bench/playground.ts [--messages 100000] [--rate 2000] [--rounds 3] [--no-inspector]
 */

import { parseArgs } from 'node:util'
import { close, launch } from '../test/harness/launch.ts'
import { inspectorBurst } from './playground-inspector.ts'
import { burstOf, measurePlayground, ms, quiet } from './playground-section.ts'
import { median, shownNumber } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    rate: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
    'no-inspector': { type: 'boolean', default: false },
  },
})

const row = (what: string, measured: string, budget: string) =>
  console.log(`${what.padEnd(64)} ${measured.padStart(20)}   ${budget}`)

/** The least and the median of the rounds, as other programs make them longer. */
async function ours() {
  const { browser, rows } = await measurePlayground({
    messages: Number(flags.messages),
    perSecond: Number(flags.rate),
    rounds: Number(flags.rounds),
    told: row,
  })
  console.log(`${browser}; least … median of ${flags.rounds} rounds`)
  for (const one of rows) {
    for (const [figure, budget] of Object.entries({
      task: '≤ 50 ms',
      work: '≤ 50 ms',
      frame: '≤ 20 ms',
    })) {
      const all = one.rounds.flatMap((round) => round[figure] ?? [])
      if (all.length === 0) continue
      const found = `${shownNumber(Math.min(...all))} … ${shownNumber(median(one, figure))} ms`
      row(`${one.workload}: ${figure}`, found, budget)
    }
  }
}

async function theirs() {
  const browser = await launch('chromium', quiet)
  try {
    const { blocked, longest, shown } = await inspectorBurst(browser, burstOf)
    row('the same burst in MCP Inspector 2.12.0: main thread blocked', ms(blocked), '')
    row('  longest task', ms(longest), '')
    row('  until the last one was shown', ms(shown), '')
  } finally {
    await close(browser)
  }
}

await ours()
if (!flags['no-inspector']) await theirs()
