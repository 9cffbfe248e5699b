/** The goals of the default mode, and whether a run has met them. */

import { markdown, median, ratio, type Section, shownRatio } from './report.ts'

export interface Goal {
  /** What is asked for. */
  title: string
  /** The section, and the rows in it, that answer. */
  section: string
  rows: readonly string[]
  /** Ratios of these subjects; without `to`, a figure. */
  of: string
  to?: readonly string[]
  /** The limit of the channel, whose ratio is shown beside that of ours. */
  limit?: string
  /** The bound of the median. Several: that of each row. */
  atMost?: number
  atLeast?: number | readonly number[]
}

const worker = 'worker chromium'
const gatewayReads = {
  mirrored: 'published value that was read before',
  sleeping: 'the same of a frozen tab',
  function: 'function',
}

export const goals: readonly Goal[] = [
  {
    title: 'ping, worker mode, to the SDK in the page',
    section: worker,
    rows: ['ping, serial', 'ping, 64 in flight'],
    of: 'ours',
    to: ['ts1', 'ts2'],
    limit: 'null-worker',
    atMost: 1,
  },
  {
    title: 'read 1 KB, published value, worker mode, to the SDK in the page',
    section: worker,
    rows: ['read 1 KB published, serial', 'read 1 KB published, 64 in flight'],
    of: 'ours',
    to: ['ts1', 'ts2'],
    limit: 'null-worker',
    atMost: 1.1,
  },
  {
    title: 'read 1 KB, function, worker mode, to an SDK in a Worker that asks the page',
    section: worker,
    rows: ['read 1 KB function, serial', 'read 1 KB function, 64 in flight'],
    of: 'ours',
    to: ['ts1-worker', 'ts2-worker'],
    limit: 'null-worker',
    atMost: 0.9,
  },
  {
    title: 'read 10 MB text, published, worker mode, to null in a Worker',
    section: worker,
    rows: ['read 10 MB text published'],
    of: 'ours',
    to: ['null-worker'],
    atMost: 1.1,
  },
  {
    title: 'read 10 MB text, function, worker mode, to null in a Worker',
    section: worker,
    rows: ['read 10 MB text function'],
    of: 'ours',
    to: ['null-worker'],
    atMost: 1.5,
  },
  {
    title: 'read by template, 1,000 templates, worker mode, to the SDK in the page',
    section: worker,
    rows: ['template read of 1,000, serial', 'template read of 1,000, 64 in flight'],
    of: 'ours',
    to: ['ts1', 'ts2'],
    limit: 'null-worker',
    atMost: 0.15,
  },
  ...(['mirrored', 'sleeping', 'function'] as const).map(
    (of): Goal => ({
      title: `read 1 KB through the gateway, ${gatewayReads[of]}, page in Chromium, reads per second to go-sdk's own HTTP server`,
      section: 'gateway chromium',
      rows: ['read 1 KB, 1 clients', 'read 1 KB, 16 clients', 'read 1 KB, 64 clients'],
      of,
      to: ['go-sdk', 'go-sdk-json'],
      limit: 'null',
      atLeast: of !== 'function' ? [1.2, 1.5, 1.5] : [0.33, 0.75, 0.8],
    }),
  ),
  {
    title:
      "read 1 KB through the gateway in the form of 2026-07-28, value that the gateway has, reads per second to go-sdk's own HTTP server in both forms",
    section: 'gateway chromium',
    rows: ['read 1 KB, 1 clients', 'read 1 KB, 16 clients', 'read 1 KB, 64 clients'],
    of: 'mirrored-2026',
    to: ['go-sdk', 'go-sdk-2026'],
    atLeast: [1.5, 2.5, 2.5],
  },
  {
    title: 'start-up to the first answered read, localhost, cold',
    section: 'start chromium',
    rows: ['cold'],
    of: 'ours',
    to: ['ts1', 'ts2'],
    atMost: 1.2,
  },
  {
    title: 'start-up to the first answered read, localhost, warm',
    section: 'start chromium',
    rows: ['warm'],
    of: 'ours',
    to: ['ts1', 'ts2'],
    atMost: 1.4,
  },
  {
    title: 'start-up to the first answered read, 10 Mbit/s and 40 ms, cold',
    section: 'start chromium',
    rows: ['cold, 10 Mbit/s and 40 ms'],
    of: 'ours',
    to: ['ts1', 'ts2'],
    atMost: 2.85,
  },
  size(['app with start and connect'], 10),
  size(
    ['idb', 'page', 'storage', 'tabs'].map((name) => `added by ${name}`),
    8,
  ),
  size(['worker.js'], 27),
  size(['engine.wasm'], 795),
]

function size(rows: readonly string[], atMost: number): Goal {
  return {
    title: `${rows.join(', ')}: KB with brotli`,
    section: 'size',
    rows,
    of: 'brotli',
    atMost,
  }
}

/** A line for each row and peer of a goal; `undefined` if nothing has been measured. */
export function goalTable(goal: Goal, sections: readonly Section[]): string | undefined {
  const { of, to, limit } = goal
  const head = to ? ['', 'ratio', 'measured [quartiles]', 'goal', ''] : ['', 'measured', 'goal', '']
  if (limit) head.push(`${limit} to the same`)
  const lines: string[][] = [head]
  const section = sections.find(({ name }) => name === goal.section)
  for (const [i, name] of goal.rows.entries()) {
    const { atMost = Infinity, atLeast = 0 } = goal
    const range: Range = {
      atMost,
      atLeast: typeof atLeast === 'number' ? atLeast : (atLeast[i] ?? 0),
    }
    const row = section?.rows.find(({ workload }) => workload === name)
    if (row === undefined) continue
    if (to === undefined) {
      const measured = median(row, of)
      lines.push([name, measured.toFixed(1), bound(range), verdict(range, measured)])
      continue
    }
    for (const peer of to) {
      const measured = ratio(row, of, peer)
      if (Number.isNaN(measured.median)) continue
      const verdictOf = verdict(range, measured.median)
      const line = [name, `${of}/${peer}`, shownRatio(measured), bound(range), verdictOf]
      if (limit) line.push(shownRatio(ratio(row, limit, peer)))
      lines.push(line)
    }
  }
  return lines.length > 1 ? markdown(lines) : undefined
}

/** What meets a goal; without a bound: Infinity, or 0. */
interface Range {
  atMost: number
  atLeast: number
}

function bound({ atMost, atLeast }: Range): string {
  return atMost === Infinity ? `≥ ${atLeast.toFixed(2)}` : `≤ ${atMost.toFixed(2)}`
}

/** As people compare: figures of two decimals. */
function verdict({ atMost, atLeast }: Range, median: number): string {
  const shown = Number(median.toFixed(2))
  if (shown <= atMost && shown >= atLeast) return 'met'
  const part = shown > atMost ? shown / atMost - 1 : 1 - shown / atLeast
  return `missed by ${Math.round(part * 100)} %`
}
