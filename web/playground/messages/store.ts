/**
 * The message store: all messages of all connections, and events, in order. All panes are views of it;
 * imported transcripts are pushed like live messages. Rows are numbered from 0, the oldest, and keep their
 * numbers for the life of the store.
 *
 * Columns are typed arrays that double, so 100,000 rows cost a few megabytes besides their texts. Texts are
 * unchanged. Views subscribe to {@link Store.changed}, which changes once per frame at most.
 */

import { type Signal, signal } from '@preact/signals'
import {
  type Direction,
  directions,
  type Entry,
  endsRequests,
  type Framing,
  framings,
  type HttpFacts,
  kinds,
  type State,
  states,
} from './entry.ts'
import { empty, type Frame, type FrameKind, frameOf, parsed } from './frame.ts'
import { byteLength, StringTable } from './strings.ts'

const none = -1

/** Changes of a connection's revision; older ones are forgotten. */
const maxRevisions = 20

/** Requests whose revision is that of the connection from then on. Others may differ, which is a hint. */
const handshakes = new Set(['initialize', 'server/discover', 'subscriptions/listen'])

/** Messages that are kept parsed: a session reads the newest one, and several panes the selected exchange. */
const maxParsed = 8

/** Malformed messages of a side that wait for an error; older ones are forgotten. */
const maxUnanswerable = 100

/** Number of texts in memory, the newest, if the others can be archived. */
export const maxTextsInMemory = 200_000 // texts; about 80 MB

/** Number of texts archived at a time. */
const blockLength = 1000 // texts

/** Stores texts outside memory; archive.ts implements it. */
export interface TextArchive {
  /** Stores the texts of a block. If it rejects, they stay in memory. */
  put(block: number, texts: readonly string[]): Promise<void>
  get(block: number): Promise<readonly string[]>
  /** Removes all texts. */
  clear(): void
}

/** Two times, ms since 1970; `to` is Infinity for what goes on. */
export interface Times {
  readonly from: number
  readonly to: number
}

/** The rows of a task: that which made it, and that with its final state; -1: it goes on. */
interface Task {
  readonly from: number
  to: number
}

export class Store {
  /** Counts changes; set once per animation frame at most. */
  readonly changed: Signal<number> = signal(0)

  /** Counts how often the store was cleared, so that views start again. */
  readonly emptied: Signal<number> = signal(0)

  #length = 0
  #capacity = 1024
  #times = new Float64Array(this.#capacity)
  #connections = new Uint16Array(this.#capacity)
  #flags = new Uint8Array(this.#capacity) // direction and framing
  #kinds = new Uint8Array(this.#capacity)
  #states = new Uint8Array(this.#capacity)
  #methods = new Uint32Array(this.#capacity)
  #targets = new Uint32Array(this.#capacity)
  #ids = new Uint32Array(this.#capacity)
  #codes = new Int32Array(this.#capacity)
  #partners = new Int32Array(this.#capacity)
  #sizes = new Uint32Array(this.#capacity)
  #raws: string[] = []
  #http = new Map<number, HttpFacts>()
  #problems = new Map<number, string>()
  readonly #parsed = new Map<number, ReturnType<typeof parsed>>() // newest last
  #strings = new StringTable() // of the present rows
  readonly #ended = new Map<number, number>() // requests without response, to the rows that ended them
  #waiting = new Map<string, number>() // connection, asking side and id, to the row of the request
  readonly #unanswerable = new Map<string, number[]>() // connection and side, to rows; oldest first
  readonly #tasks = new Map<string, Task>() // connection and id
  readonly #begun = new Map<number, Task>() // rows that have made a task
  readonly #revisions = new Map<number, { from: number; revision: string }[]>() // newest last
  #archive: TextArchive | undefined
  #maxTexts = maxTextsInMemory
  #archived = 0 // texts of earlier rows are in the archive
  #archiving = false // also for good, once a block could not be stored
  #archivingFailed = () => {}
  #restored = new Map<number, string>() // texts restored from the archive
  #scheduled = false
  readonly #schedule: (run: () => void) => void

  /** @param schedule - runs a function before the next frame; tests pass their own */
  constructor(schedule: (run: () => void) => void = nextFrame) {
    this.#schedule = schedule
  }

  /** Number of different methods, targets and ids that are kept, with the empty text. */
  get texts(): number {
    return this.#strings.list.length
  }

  /** Number of rows. */
  get length(): number {
    return this.#length
  }

  /** Adds a row and returns its number. */
  push({ connection, direction, framing, raw, time = Date.now(), http }: Entry): number {
    if (this.#length === this.#capacity) this.#grow()
    const row = this.#length++
    const isEvent = direction === 'world'
    const frame = isEvent
      ? { ...empty, kind: 'world' as const }
      : frameOf(raw, this.#parse(row, raw))
    this.#times[row] = time
    this.#connections[row] = connection
    this.#flags[row] = directions.indexOf(direction) * 16 + framings.indexOf(framing)
    this.#kinds[row] = kinds.indexOf(frame.kind)
    this.#states[row] = states.indexOf(frame.outcome)
    this.#methods[row] = this.#strings.number(frame.method)
    this.#targets[row] = this.#strings.number(frame.target)
    this.#ids[row] = this.#strings.number(frame.id)
    this.#codes[row] = frame.code
    this.#partners[row] = none
    this.#sizes[row] = byteLength(raw)
    this.#raws.push(raw)
    if (http) this.#http.set(row, http)
    if (frame.problem) this.#problems.set(row, frame.problem)
    this.#pair(row, connection, direction, frame)
    if (frame.task) this.#follow(row, connection, frame)
    if (direction === 'world' && connection > 0 && endsRequests(raw)) this.end(connection)
    if (this.#archive) this.#archiveOldest()
    this.#announce()
    return row
  }

  /**
   * Marks requests that get no response any more, with those of the other side.
   *
   * @param id - JSON text of the client's request; default: all that wait on the connection
   * @param raw - the text of the message, if it was malformed: no later error is about it
   */
  end(connection: number, id?: string, raw?: string): void {
    const malformed = this.#unanswerable.get(`${connection} out`) ?? []
    const at = malformed.findIndex((row) => this.raw(row) === raw)
    if (at >= 0) malformed.splice(at, 1)
    const one = `${connection} out ${id}`
    for (const key of id === undefined ? this.#waiting.keys() : [one]) {
      if (!key.startsWith(`${connection} `)) continue
      const row = this.#waiting.get(key)
      this.#waiting.delete(key)
      if (row === undefined || this.state(row) !== '' || this.partner(row) !== none) continue
      this.#states[row] = states.indexOf('unanswered')
      this.#ended.set(row, this.#length - 1)
    }
    this.#announce()
  }

  /** Removes all rows. Open requests lose their partners. */
  clear(): void {
    this.#length = 0
    this.#raws = []
    this.#strings = new StringTable()
    this.#http.clear()
    this.#problems.clear()
    this.#parsed.clear()
    this.#waiting.clear()
    this.#unanswerable.clear()
    this.#ended.clear()
    this.#tasks.clear()
    this.#begun.clear()
    // The connections stay open: their newest revision applies to later rows.
    for (const [connection, all] of this.#revisions)
      this.#revisions.set(connection, [{ ...(all.at(-1) as (typeof all)[0]), from: 0 }])
    this.#restored.clear()
    if (this.#archived > 0) this.#archive?.clear()
    this.#archived = 0
    this.emptied.value++
    this.#announce()
  }

  /** ms since 1970. */
  time(row: number): number {
    return this.#times[row] as number
  }

  connection(row: number): number {
    return this.#connections[row] as number
  }

  direction(row: number): Direction {
    return directions[(this.#flags[row] as number) >> 4] as Direction
  }

  framing(row: number): Framing {
    return framings[(this.#flags[row] as number) & 15] as Framing
  }

  kind(row: number): FrameKind {
    return kinds[this.#kinds[row] as number] as FrameKind
  }

  /** The method; of a response, that of its request. */
  method(row: number): string {
    return this.#strings.list[this.#methods[row] as number] as string
  }

  /** The URI or name; of a response, that of its request. */
  target(row: number): string {
    return this.#strings.list[this.#targets[row] as number] as string
  }

  /** JSON text of the id. */
  id(row: number): string {
    return this.#strings.list[this.#ids[row] as number] as string
  }

  /** An error's code, or 0. */
  code(row: number): number {
    return this.#codes[row] as number
  }

  /** Besides the kind, whether a result is a success, and whether a request still waits. */
  state(row: number): State {
    return states[this.#states[row] as number] as State
  }

  /** The row that ended a request without a response, such as its cancellation; -1: it waits, or has a response. */
  ended(row: number): number {
    return this.partner(row) === none ? (this.#ended.get(row) ?? none) : none
  }

  /** The row with the final state of the task that a row has made; -1: it goes on; undefined: no task. */
  taskEnd(row: number): number | undefined {
    return this.#begun.get(row)?.to
  }

  /**
   * The revision that the connection's messages declared up to a row; of a response, up to its request. `''`: a
   * request without an envelope, as of the older revisions. Undefined: none so far.
   */
  revision(row: number): string | undefined {
    const partner = this.partner(row)
    const asked = partner >= 0 && partner < row ? partner : row
    return this.#revisions.get(this.connection(row))?.findLast(({ from }) => from <= asked)
      ?.revision
  }

  /** The response's row of a request, the request's row of a response, or -1. */
  partner(row: number): number {
    return this.#partners[row] as number
  }

  /** The response of a row's exchange, which may be the row itself; -1: none. */
  response(row: number): number {
    const partner = this.partner(row)
    return partner === none ? none : Math.max(row, partner)
  }

  /**
   * From the request of a row to its response, to what ended it, or to the final state of the task that the response
   * made. Of other rows a moment.
   */
  times(row: number): Times {
    const partner = this.partner(row)
    const last = Math.max(row, partner)
    const isOpen = partner === none && this.kind(row) === 'request'
    const end = isOpen ? this.ended(row) : (this.taskEnd(last) ?? last)
    return {
      from: this.time(partner === none ? row : Math.min(row, partner)),
      to: end === none ? Number.POSITIVE_INFINITY : this.time(end),
    }
  }

  /** ms from request to response, on either row; NaN without a response. */
  latency(row: number): number {
    const partner = this.partner(row)
    return partner === none ? Number.NaN : Math.abs(this.time(partner) - this.time(row))
  }

  /** Bytes of UTF-8. */
  size(row: number): number {
    return this.#sizes[row] as number
  }

  /** The exact text; `''` while it {@link isArchived}. */
  raw(row: number): string {
    return (this.#raws[row] as string) || (this.#restored.get(row) ?? '')
  }

  /** Whether a row's text is in the archive only. */
  isArchived(row: number): boolean {
    return row < this.#archived && this.size(row) > 0 && this.raw(row) === ''
  }

  /** The exact text, from memory or archive. Rejects if the archive has lost it. */
  async text(row: number): Promise<string> {
    if (!this.isArchived(row)) return this.raw(row)
    const texts = await (this.#archive as TextArchive).get(Math.floor(row / blockLength))
    return texts[row % blockLength] ?? ''
  }

  /** Restores a row's text to memory, for the life of the store. For the selected row. */
  async restore(row: number): Promise<void> {
    const emptied = this.emptied.peek()
    const text = await this.text(row)
    if (emptied !== this.emptied.peek() || !this.isArchived(row)) return
    this.#restored.set(row, text)
    this.#parsed.delete(row)
    this.#announce()
  }

  /**
   * Archives texts beyond the newest `most` from now on; all other columns stay in memory.
   *
   * @param failed - called once if a block cannot be stored: later texts stay in memory, archived ones can be read
   */
  useArchive(archive: TextArchive, most: number = maxTextsInMemory, failed = () => {}): void {
    this.#archive = archive
    this.#maxTexts = most
    this.#archivingFailed = failed
    this.#archiveOldest()
  }

  /** The parsed message, read-only; undefined if it is not JSON. The messages used last are kept parsed. */
  message(row: number): unknown {
    return (this.#parsed.get(row) ?? this.#parse(row, this.raw(row))).message
  }

  #parse(row: number, raw: string) {
    const found = parsed(raw)
    this.#parsed.set(row, found)
    if (this.#parsed.size > maxParsed) this.#parsed.delete(this.#parsed.keys().next().value ?? row)
    return found
  }

  /** Why a text is not a message; `''` if it is one. */
  problem(row: number): string {
    return this.#problems.get(row) ?? ''
  }

  http(row: number): HttpFacts | undefined {
    return this.#http.get(row)
  }

  /** Archives the oldest texts, a block at a time. They leave memory once they are stored. */
  async #archiveOldest() {
    const from = this.#archived
    const end = from + blockLength
    if (this.#archiving || this.#length - from < this.#maxTexts + blockLength) return
    this.#archiving = true
    const emptied = this.emptied.peek()
    try {
      await this.#archive?.put(from / blockLength, this.#raws.slice(from, end))
    } catch {
      this.#archivingFailed() // the storage is full, or forbidden
      return
    }
    this.#archiving = false
    if (emptied !== this.emptied.peek()) return
    // Texts that are not messages are drawn from memory, and are short.
    for (let row = from; row < end; row++) if (this.#methods[row]) this.#raws[row] = ''
    this.#archived = end
    this.#archiveOldest()
  }

  #pair(row: number, connection: number, direction: Direction, frame: Frame) {
    const { kind, id, method, revision } = frame
    if (direction === 'world') return
    if (kind === 'notification' && method === 'notifications/cancelled') {
      const cancelled = this.#waiting.get(`${connection} ${direction} ${frame.target}`)
      if (cancelled !== undefined) {
        this.#states[cancelled] = states.indexOf('cancelled')
        this.#ended.set(cancelled, row)
      }
    }
    if (isUnanswerable(frame)) this.#awaitError(row, `${connection} ${direction}`)
    if (kind === 'error' && (id === '' || id === 'null')) {
      const other = direction === 'in' ? 'out' : 'in'
      const malformed = this.#unanswerable.get(`${connection} ${other}`)?.shift()
      if (malformed !== undefined) this.#couple(malformed, row)
      return
    }
    if (id === '') return
    if (kind === 'request') {
      this.#waiting.set(`${connection} ${direction} ${id}`, row)
      const known = this.#revisions.has(connection)
      if (direction === 'out' && (handshakes.has(method) ? revision !== '' : !known))
        this.#declare(connection, row, revision)
    } else if (kind === 'result' || kind === 'error') {
      const asked = `${connection} ${direction === 'in' ? 'out' : 'in'} ${id}`
      const request = this.#waiting.get(asked)
      if (request === undefined) return
      this.#waiting.delete(asked)
      this.#couple(request, row)
      if (revision !== '' && this.method(request) === 'initialize')
        this.#declare(connection, request, revision)
    }
  }

  #couple(request: number, response: number) {
    this.#partners[response] = request
    this.#partners[request] = response
    this.#methods[response] = this.#methods[request] as number
    this.#targets[response] = this.#targets[request] as number
  }

  #awaitError(row: number, side: string) {
    const rows = this.#unanswerable.get(side) ?? []
    rows.push(row)
    this.#unanswerable.set(side, rows.slice(-maxUnanswerable))
  }

  /** Learns the state of a task. One that began before the first row has no life here. */
  #follow(row: number, connection: number, { task: id, outcome, isTaskOver }: Frame) {
    const key = `${connection} ${id}`
    let task = this.#tasks.get(key)
    if (!task && outcome === 'task') {
      task = { from: row, to: none }
      this.#tasks.set(key, task)
      this.#begun.set(row, task)
    }
    if (task && isTaskOver && task.to === none) task.to = row
  }

  /** From a row on, the connection has this revision. The answer to `initialize` replaces what it proposed. */
  #declare(connection: number, from: number, revision: string) {
    const before = this.#revisions.get(connection)?.filter((one) => one.from < from) ?? []
    if (before.at(-1)?.revision !== revision) before.push({ from, revision })
    this.#revisions.set(connection, before.slice(-maxRevisions))
  }

  #grow() {
    this.#capacity *= 2
    const larger = <T extends Float64Array | Uint8Array | Uint16Array | Uint32Array | Int32Array>(
      column: T,
    ): T => {
      const next = new (column.constructor as new (length: number) => T)(this.#capacity)
      next.set(column)
      return next
    }
    this.#times = larger(this.#times)
    this.#connections = larger(this.#connections)
    this.#flags = larger(this.#flags)
    this.#kinds = larger(this.#kinds)
    this.#states = larger(this.#states)
    this.#methods = larger(this.#methods)
    this.#targets = larger(this.#targets)
    this.#ids = larger(this.#ids)
    this.#codes = larger(this.#codes)
    this.#partners = larger(this.#partners)
    this.#sizes = larger(this.#sizes)
  }

  #announce() {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#schedule(() => {
      this.#scheduled = false
      this.changed.value++
    })
  }
}

/**
 * Whether an error about a message cannot have its id: an error without an id, or with the id null, belongs to the
 * oldest such message (JSON-RPC 2.0, Response object).
 */
function isUnanswerable({ kind, id }: Frame): boolean {
  if (kind === 'request') return !/^("|-?\d+$)/.test(id)
  return kind === 'broken' || kind === 'batch'
}

/** Hidden windows have no animation frames, and other environments none at all: then a task is used. */
function nextFrame(run: () => void) {
  if (globalThis.document?.visibilityState === 'visible') requestAnimationFrame(run)
  else setTimeout(run)
}
