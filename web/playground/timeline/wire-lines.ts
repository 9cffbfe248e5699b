/** How traffic looks on the wire, line by line: what carried a message, headers, and its exact text. */

import type { Store } from '../messages/store.ts'
import type { Rows } from './scroller.ts'

/** More of a text is not shown here; Inspect has all of it. */
export const maxMessageLines = 40 // lines of one message

/** What stood around a message, a line each: the request or status line, headers, an event's fields. */
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

/** Cuts a text into lines of at most so many columns; East Asian characters take two. */
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

/** At which line each message begins. Heights follow from sizes alone, so nothing has to be measured. */
export class Lines implements Rows {
  readonly #store: Store
  readonly #rows: Rows
  #columns = 80
  #starts = new Uint32Array(1024)
  #count = 0 // messages that have been placed; #starts has one more

  constructor(store: Store, rows: Rows) {
    this.#store = store
    this.#rows = rows
  }

  /** Begins again: the rows are others, or the lines are of another length. */
  begin(columns: number): void {
    this.#columns = Math.max(20, columns)
    this.#count = 0
  }

  /** Places the messages that came. */
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
   * Lines of a message: one that says what it is, what was around it, its text, and an empty one. No
   * character takes more columns than bytes, so as many lines as the bytes need are enough.
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

  /** The first line of the message at a place. */
  start(index: number): number {
    return index === 0 ? 0 : (this.#starts[index] as number)
  }

  /** The place of the message that a line belongs to. */
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

  /** Lines. */
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
