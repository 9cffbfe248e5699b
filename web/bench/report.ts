/** Ratios of one round, their median and quartiles, and tables of them. */

/** Rounds of one workload: a figure for each subject. */
export interface Rounds {
  workload: string
  rounds: { [subject: string]: number }[]
}

/** What one part of the benchmark has measured. */
export interface Section {
  /** Its part, and what else tells it from others: `worker chromium`. */
  name: string
  /** Of the figures. */
  unit: 'µs' | 'ms' | '/s' | 'KB'
  /** Its version. */
  browser?: string
  rows: Rounds[]
}

/** The columns of a part's tables: medians of these subjects, and ratios. */
export interface Columns {
  medians: readonly string[]
  ratios: readonly Pairing[]
}

const columns: { readonly [part: string]: Columns } = {
  worker: {
    medians: ['ours', 'ts1', 'ts1-worker', 'null', 'null-worker'],
    ratios: [
      ['ours', 'ts1'],
      ['ours', 'ts2'],
      ['ours', 'ts1-worker'],
      ['ours', 'ts2-worker'],
      ['ours', 'null-worker'],
      ['ours', 'null'],
      ['ours-2026', 'ours'],
    ],
  },
  gateway: {
    medians: ['mirrored', 'sleeping', 'published', 'function', 'go-sdk', 'go-sdk-json', 'null'],
    ratios: [
      ['mirrored', 'go-sdk'],
      ['mirrored', 'go-sdk-json'],
      ['sleeping', 'go-sdk'],
      ['published', 'go-sdk'],
      ['function', 'go-sdk'],
      ['function', 'go-sdk-json'],
      ['published', 'null'],
    ],
  },
  start: {
    medians: ['null', 'ts1', 'ts2', 'ours', 'ours-preload'],
    ratios: [
      ['ours', 'ts1'],
      ['ours', 'ts2'],
      ['ours-preload', 'ts1'],
      ['ours', 'null'],
    ],
  },
  // The longest task, the same in CPU time of the thread, and what 99 of 100 frames do not exceed.
  playground: { medians: ['task', 'work', 'frame'], ratios: [] },
  size: { medians: ['raw', 'gzip', 'brotli'], ratios: [] },
  plain: { medians: ['ours', 'plain'], ratios: [['ours', 'plain']] },
}

/** @param before - two versions are compared: only these are shown */
export function columnsOf({ name }: Section, before = false): Columns {
  const part = name.split(' ')[0] ?? ''
  if (before && part === 'worker') return comparing
  return columns[part] ?? { medians: [], ratios: [] }
}

const comparing: Columns = {
  medians: ['ours', 'before', 'ours-2026', 'before-2026', 'ts1', 'null'],
  ratios: [
    ['ours', 'before'],
    ['ours-2026', 'before-2026'],
    ['ours', 'ts1'],
    ['before', 'ts1'],
    ['ours-2026', 'ts1'],
    ['before-2026', 'ts1'],
  ],
}

export interface Ratio {
  q1: number
  median: number
  q3: number
}

/** The quartiles of the ratios of one to another, each taken within a round. */
export function ratio(row: Rounds, one: string, other: string): Ratio {
  const ratios = row.rounds.map((round) => (round[one] ?? NaN) / (round[other] ?? NaN))
  return { q1: quantile(ratios, 0.25), median: quantile(ratios, 0.5), q3: quantile(ratios, 0.75) }
}

export function median(row: Rounds, subject: string): number {
  return quantile(
    row.rounds.map((round) => round[subject] ?? NaN),
    0.5,
  )
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const low = sorted[Math.floor(at)] ?? NaN
  const high = sorted[Math.ceil(at)] ?? NaN
  return low + (high - low) * (at - Math.floor(at))
}

/** A ratio to be shown: one subject to another. */
export type Pairing = readonly [one: string, other: string]

/** A table with medians of some subjects, and ratios. */
export function table(
  { rows, unit }: Section,
  medians: readonly string[],
  ratios: readonly Pairing[],
): string {
  const head = [
    '',
    ...medians.map((subject) => `${subject} ${unit}`),
    ...ratios.map(([one, other]) => `${one}/${other}`),
  ]
  const lines = rows.map((row) => [
    row.workload,
    ...medians.map((subject) => shownNumber(median(row, subject))),
    ...ratios.map(([one, other]) => shownRatio(ratio(row, one, other))),
  ])
  return markdown([head, ...lines])
}

export function shownRatio({ q1, median, q3 }: Ratio): string {
  if (Number.isNaN(median)) return '–'
  return `${median.toFixed(2)} [${q1.toFixed(2)}..${q3.toFixed(2)}]`
}

/** Three significant digits. */
export function shownNumber(value: number): string {
  if (Number.isNaN(value)) return '–'
  if (value >= 1_000) return Math.round(value).toLocaleString('en')
  return value.toPrecision(3)
}

/** A Markdown table with aligned columns; the first is text. */
export function markdown(lines: readonly (readonly string[])[]): string {
  const head = lines[0] ?? []
  const widths = head.map((_, i) => Math.max(3, ...lines.map((line) => line[i]?.length ?? 0)))
  const pad = (cell: string, i: number) =>
    i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [row(head.map(pad)), row(rule), ...lines.slice(1).map((line) => row(line.map(pad)))].join(
    '\n',
  )
}
