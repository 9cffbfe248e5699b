/** Lines of the wire view: framing, headers, and exact text of messages. */

import type { Store } from '../messages/store.ts'
import type { Rows } from './scroller.ts'

/** Longer texts are cut; Inspect shows all. */
export const maxMessageLines = 40 // lines of one message

/** The framing of a message, a line each: request or status line, headers, fields of an event. */
export function around(store: Store, row: number): string[] {
  const http = store.http(row)
  if (!http) return []
  const { method, url, status, headers = {}, event } = http
  const lines: string[] = []
  if (method || url) lines.push([method, url].filter(Boolean).join(' '))
  if (status !== undefined) lines.push(`HTTP ${status}`)
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (event?.id !== undefined) lines.push(`id: ${event.id}`)
  if (event?.name !== undefined) lines.push(`event: ${event.name}`)
  return lines
}

/** Wraps a text to a number of columns; East Asian characters take two. */
export function wrap(text: string, columns: number, most = maxMessageLines): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const character of text) {
    const wide = (character.codePointAt(0) as number) >= 0x1100 ? 2 : 1
    if (used + wide > columns) {
      lines.push(line)
      if (lines.length === most) return lines
      line = ''
      used = 0
    }
    line += character
    used += wide
  }
  if (line || lines.length === 0) lines.push(line)
  return lines
}

/** The first line of each message. Heights follow from sizes, without measuring. */
export class Lines implements Rows {
  readonly #store: Store
  readonly #rows: Rows
  #columns = 80
  #starts = new Uint32Array(1024)
  #count = 0 // positioned messages; #starts has one more

  constructor(store: Store, rows: Rows) {
    this.#store = store
    this.#rows = rows
  }

  /** Starts again after a change of the rows or the width. */
  begin(columns: number): void {
    this.#columns = Math.max(20, columns)
    this.#count = 0
  }

  /** Positions new messages. */
  advance(): void {
    if (this.#rows.length < this.#count) this.#count = 0
    while (this.#count < this.#rows.length) {
      if (this.#count + 2 > this.#starts.length) {
        const larger = new Uint32Array(this.#starts.length * 2)
        larger.set(this.#starts)
        this.#starts = larger
      }
      const row = this.#rows.row(this.#count)
      this.#starts[this.#count + 1] = this.start(this.#count) + this.linesOf(row)
      this.#count++
    }
  }

  /**
   * Number of lines of a message: a heading, its framing, its text, and an empty line. No character has more
   * columns than bytes, so the lines for its bytes suffice.
   */
  linesOf(row: number): number {
    const text = Math.min(
      maxMessageLines,
      Math.max(1, Math.ceil(this.#store.size(row) / this.#columns)),
    )
    return 2 + around(this.#store, row).length + text
  }

  get columns(): number {
    return this.#columns
  }

  /** The first line of a message. */
  start(index: number): number {
    return index === 0 ? 0 : (this.#starts[index] as number)
  }

  /** The index of the message of a line. */
  messageAt(line: number): number {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.start(middle) <= line) low = middle
      else high = middle - 1
    }
    return Math.min(low, Math.max(0, this.#count - 1))
  }

  /** Number of lines. */
  get length(): number {
    return this.start(this.#count)
  }

  row(line: number): number {
    return this.#rows.row(this.messageAt(line))
  }

  indexOf(row: number): number {
    return this.start(Math.min(this.#rows.indexOf(row), this.#count))
  }
}
