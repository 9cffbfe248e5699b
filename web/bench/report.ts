/** Ratios of one round, their median and quartiles, and a table of them. */

/** Rounds of one workload: µs per operation, by subject. */
export interface Rounds {
  workload: string
  rounds: { [subject: string]: number }[]
}

export interface Row extends Rounds {
  goal: number
}

/** Ours beside a simple function of the browser. */
export interface PairRow extends Rounds {
  /** The name of that function. */
  plainly: string
}

/** The ratio to the TypeScript SDK v1 that every workload must keep. */
export const bar = 0.5

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

/** The table of one browser, for a terminal. */
export function table(rows: readonly Row[]): string {
  const head = [
    '',
    'ours µs',
    'ts1 µs',
    'null µs',
    'ours/ts1',
    'goal',
    '',
    'ours/ts2',
    'ours/null',
    '2026/ours',
  ]
  const lines = rows.map((row) => {
    const toSdk = ratio(row, 'ours', 'ts1')
    return [
      row.workload,
      ...['ours', 'ts1', 'null'].map((subject) => median(row, subject).toFixed(2)),
      shown(toSdk),
      `≤ ${row.goal.toFixed(2)}`,
      toSdk.median <= row.goal ? 'met' : toSdk.median <= bar ? `within ${bar}` : 'MISSED',
      shown(ratio(row, 'ours', 'ts2')),
      shown(ratio(row, 'ours', 'null')),
      shown(ratio(row, 'ours26', 'ours')),
    ]
  })
  return aligned([head, ...lines])
}

/** The table of the pairs. */
export function pairTable(rows: readonly PairRow[]): string {
  const ms = (row: PairRow, subject: string) => (median(row, subject) / 1000).toFixed(2)
  const lines = rows.map((row) => [
    row.workload,
    ms(row, 'ours'),
    ms(row, 'plain'),
    shown(ratio(row, 'ours', 'plain')),
    row.plainly,
  ])
  return aligned([['', 'ours ms', 'plain ms', 'ours/plain', 'plain is'], ...lines])
}

function shown({ q1, median, q3 }: Ratio): string {
  if (Number.isNaN(median)) return '–'
  return `${median.toFixed(2)} [${q1.toFixed(2)}..${q3.toFixed(2)}]`
}

function aligned(lines: readonly string[][]): string {
  const widths = (lines[0] ?? []).map((_, i) =>
    Math.max(...lines.map((line) => line[i]?.length ?? 0)),
  )
  const pad = (cell: string, i: number) =>
    i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)
  return lines.map((line) => line.map(pad).join('  ')).join('\n')
}
