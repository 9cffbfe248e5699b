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
  /** The version of its browser. */
  browser?: string
  /** The first subject is compared with the others. */
  isRace?: true
  rows: Rounds[]
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

/** A table with the medians of all subjects, and the ratios of the first one to the others. */
export function table({ rows, unit, isRace }: Section): string {
  const subjects = [...new Set(rows.flatMap(({ rounds }) => Object.keys(rounds[0] ?? {})))]
  const [first = '', ...others] = subjects
  const compared = isRace ? others : []
  const head = [
    '',
    ...subjects.map((subject) => `${subject} ${unit}`),
    ...compared.map((other) => `${first}/${other}`),
  ]
  const lines = rows.map((row) => [
    row.workload,
    ...subjects.map((subject) => shownNumber(median(row, subject))),
    ...compared.map((other) => shownRatio(ratio(row, first, other))),
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
