/**
 * Parses an event stream incrementally; the text of `data` is unchanged.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** One event. */
export interface StreamEvent {
  /** `''`: no name, which means `message`. */
  name: string
  /** The lines of `data`, joined by line feeds. */
  data: string
  /** The last event id; `''`: none so far. */
  id: string
}

/** Parses a stream in pieces, split anywhere. */
export class EventParser {
  /** The id of the last event, for `Last-Event-ID`. */
  lastId = ''
  /** The server's reconnection delay, ms; undefined: none sent. */
  retry: number | undefined
  readonly #dispatch: (event: StreamEvent) => void
  #rest: string[] = [] // pieces of an incomplete line
  #first = true
  #name = ''
  #data: string[] = []

  constructor(dispatch: (event: StreamEvent) => void) {
    this.#dispatch = dispatch
  }

  push(piece: string): void {
    if (this.#first && piece !== '') {
      this.#first = false
      if (piece.startsWith('\uFEFF')) piece = piece.slice(1)
    }
    const before = this.#rest.at(-1) ?? ''
    this.#rest.push(piece)
    if (!/[\r\n]/.test(piece) && !before.endsWith('\r')) return // not joined yet: a line may be megabytes
    const text = this.#rest.join('')
    const lineEnds = /\r\n?|\n/g
    lineEnds.lastIndex = text.length - piece.length - (before.endsWith('\r') ? 1 : 0)
    let from = 0
    for (let end = lineEnds.exec(text); end; end = lineEnds.exec(text)) {
      // After a carriage return at the end, the line feed may come with the next piece.
      if (end[0] === '\r' && end.index === text.length - 1) break
      this.#line(text.slice(from, end.index))
      from = lineEnds.lastIndex
    }
    this.#rest = from < text.length ? [text.slice(from)] : []
  }

  #line(line: string) {
    if (line === '') {
      const [name, data] = [this.#name, this.#data]
      this.#name = ''
      this.#data = []
      if (data.length > 0) this.#dispatch({ name, data: data.join('\n'), id: this.lastId })
      return
    }
    const colon = line.indexOf(':')
    if (colon === 0) return // a comment
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#name = value
    else if (field === 'id' && !value.includes('\0')) this.lastId = value
    else if (field === 'retry' && /^\d+$/.test(value)) this.retry = Number(value)
  }
}
