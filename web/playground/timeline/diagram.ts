/**
 * Layout of a sequence diagram: a column for each client, each server and the events, a line of equal height
 * for each message. Pure functions; sequence.tsx draws the result, diagram-svg.ts exports it.
 */

import type { ClientName } from '../connections/names.ts'
import type { Store } from '../messages/store.ts'
import type { Bar, Bars } from './bars.ts'
import type { Rows } from './scroller.ts'

/** Returns the name of a connection. */
export type Naming = (connection: number) => ClientName

export interface Column {
  kind: 'client' | 'server' | 'world'
  /** Shown to the user. */
  title: string
  /** The connections of the column. */
  connections: readonly number[]
  /** Of a client: the revision that it speaks. */
  revision?: string
}

export interface Arrow {
  row: number
  /** `world`: an event without an arrow, from `x1` to `x2`. */
  kind: 'request' | 'notification' | 'result' | 'error' | 'broken' | 'world'
  /** px */
  y: number
  x1: number
  x2: number
}

export interface Box {
  x: number
  y: number
  width: number
  height: number
  /** It is still open. */
  open: boolean
}

/** px */
export interface Measures {
  /** Width of the whole diagram. */
  width: number
  /** Distance of two messages. */
  step: number
  /** Width of a bar. */
  bar: number
}

/** Minimum width of a column. */
export const minColumnWidth = 112 // px

/** Clients in order, then their servers, each once, then the events, if any. */
export function columnsOf(
  connections: Iterable<number>,
  name: Naming,
  client: string,
  revision: (connection: number) => string | undefined = () => undefined,
): Column[] {
  const clients: Column[] = []
  const servers = new Map<string, number[]>()
  let world = false
  for (const connection of [...connections].sort((a, b) => a - b)) {
    if (connection === 0) world = true
    else {
      const { letter, title, client: own } = name(connection)
      clients.push({
        kind: 'client',
        title: own ?? `${client} ${letter}`,
        connections: [connection],
        revision: revision(connection),
      })
      servers.set(title, [...(servers.get(title) ?? []), connection])
    }
  }
  return [
    ...clients,
    ...[...servers].map(([title, connections]): Column => ({ kind: 'server', title, connections })),
    ...(world ? [{ kind: 'world' as const, title: name(0).title, connections: [0] }] : []),
  ]
}

/** The middle of a column, px. */
export const middle = (index: number, columns: number, width: number): number =>
  (width * (index + 0.5)) / Math.max(1, columns)

/** The columns of a row's message: from and to. Of an event: the same column twice, or the two of a connection. */
export function endsOf(store: Store, row: number, columns: readonly Column[]): [number, number] {
  const connection = store.connection(row)
  const at = (kind: Column['kind']) =>
    columns.findIndex((column) => column.kind === kind && column.connections.includes(connection))
  if (connection === 0) return [at('world'), at('world')]
  return store.direction(row) === 'in' ? [at('server'), at('client')] : [at('client'), at('server')]
}

/** The arrow at an index. `y` counts from the first line of the list. */
export function arrowOf(
  store: Store,
  rows: Rows,
  index: number,
  columns: readonly Column[],
  { width, step }: Measures,
): Arrow {
  const row = rows.row(index)
  const kind = store.kind(row)
  const [from, to] = endsOf(store, row, columns)
  return {
    row,
    kind: kind === 'batch' ? 'request' : kind,
    y: index * step + step * 0.72,
    x1: middle(from, columns.length, width),
    x2: middle(to, columns.length, width),
  }
}

/** The visible bars between two indexes. A bar needs its request among the rows. */
export function boxesOf(
  bars: Bars,
  rows: Rows,
  first: number,
  end: number,
  columns: readonly Column[],
  { width, step, bar: barWidth }: Measures,
): Box[] {
  if (end <= first) return []
  const boxes: Box[] = []
  for (const bar of bars.between(rows.row(first), rows.row(end - 1))) {
    const begin = rows.indexOf(bar.from)
    if (begin >= rows.length || rows.row(begin) !== bar.from) continue
    const column = columnOf(bar, columns)
    if (column < 0) continue
    const stop = bar.to === Number.POSITIVE_INFINITY ? rows.length : rows.indexOf(bar.to)
    const open = stop >= rows.length || rows.row(stop) !== bar.to
    const y = Math.max(begin, first - 1) * step + step * 0.72
    const bottom = Math.min(stop, end) * step + step * (open ? 0 : 0.72)
    boxes.push({
      x: middle(column, columns.length, width) - barWidth / 2 + bar.depth * barWidth * 0.6,
      y,
      width: barWidth,
      height: Math.max(barWidth, bottom - y),
      open,
    })
  }
  return boxes
}

const columnOf = ({ connection, side }: Bar, columns: readonly Column[]) =>
  columns.findIndex((column) => column.kind === side && column.connections.includes(connection))

/** The width of a text. `wide` is the mean width of a character, px. */
export function widthOf(text: string, wide: number): number {
  let used = 0
  for (const character of text) used += cells(character)
  return used * wide
}

/** Truncates a text to a width. `wide` is the mean width of a character, px. */
export function fit(text: string, px: number, wide: number): string {
  const room = Math.max(4, Math.floor(px / wide))
  let used = 0
  for (const [index, character] of [...text].entries()) {
    used += cells(character)
    if (used > room) return `${[...text].slice(0, Math.max(1, index - 1)).join('')}…`
  }
  return text
}

const cells = (character: string) => (character.charCodeAt(0) >= 0x1100 ? 2 : 1)

/**
 * The end of a text that fits beside an ellipsis, best from a `/` on: of `notifications/resources/updated`,
 * `/updated`. The text if it fits. `wide` is the mean width of a character, px.
 */
export function tailOf(text: string, px: number, wide: number): string {
  if (widthOf(text, wide) <= px) return text
  const characters = [...text]
  let first = characters.length - 1
  let used = 1 + cells(characters[first] as string)
  while (first > 0) {
    used += cells(characters[first - 1] as string)
    if (used * wide > px) break
    first--
  }
  const tail = characters.slice(first).join('')
  const at = tail.search(/(?<!\/)\/(?!\/)/)
  return tail.slice(at > tail.length / 2 ? 0 : Math.max(0, at))
}

/**
 * Breaks a text that is too wide once, after a `/` or a space, so that the end of a method can be read: best after a space,
 * and such that both lines fit. The second line may still be too wide.
 */
export function inTwoLines(text: string, px: number, wide: number): readonly string[] {
  const fits = (line: string) => widthOf(line.trimEnd(), wide) <= px
  if (fits(text)) return [text]
  const breaks = [...text.matchAll(/[/ ]+/g)]
    .map(({ 0: gap, index }) => index + gap.length)
    .filter((at) => at < text.length && fits(text.slice(0, at)))
  const whole = breaks.filter((at) => fits(text.slice(at)))
  const at = whole.findLast((at) => text[at - 1] === ' ') ?? whole.at(-1) ?? breaks.at(-1)
  return at === undefined ? [text] : [text.slice(0, at), text.slice(at)]
}

/** The beginning of a text that fits beside an ellipsis; the text if it fits. */
export function headOf(text: string, px: number, wide: number): string {
  const head = fit(text, px, wide)
  return head === text ? text : head.slice(0, -1)
}

/**
 * A label in up to two lines. `isCut`: an ellipsis stands in place of what is missing.
 *
 * @param cut - makes a text that fits of one that is too wide
 */
export function labelLines(
  text: string,
  px: number,
  wide: number,
  cut: typeof tailOf = tailOf,
): { lines: readonly string[]; isCut: boolean } {
  for (const part of [Number.POSITIVE_INFINITY, 2, 1.5]) {
    const left = cut(text, px * part, wide)
    const lines = inTwoLines(left, left === text ? px : px - wide, wide)
    if (lines.every((line) => widthOf(line.trimEnd(), wide) <= px))
      return { lines, isCut: left !== text }
  }
  const left = cut(text, px, wide)
  return { lines: [left], isCut: left !== text }
}

/** Wraps an array of rows. */
export function listed(rows: readonly number[]): Rows {
  return {
    length: rows.length,
    row: (index) => rows[index] as number,
    indexOf(row) {
      const index = rows.findIndex((one) => one >= row)
      return index < 0 ? rows.length : index
    },
  }
}
