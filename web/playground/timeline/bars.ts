/** The activation bars of a sequence diagram: from a request to what ends it, on the responder's side. */

import type { Store } from '../messages/store.ts'

export interface Bar {
  connection: number
  /** The responder: the server for a client's request, or the reverse. */
  side: 'client' | 'server'
  /** The request's row. */
  from: number
  /** Row of the response, the cancellation or the connection's end; Infinity: still open. */
  to: number
  /** Nesting level: 1 for a bar that starts while one of level 0 is open … */
  depth: number
}

export class Bars {
  readonly #store: Store
  #bars: Omit<Bar, 'to'>[] = []
  #levels = new Map<string, number[]>() // the last request of each level, by connection and side
  #seen = 0
  #emptied = 0

  constructor(store: Store) {
    this.#store = store
  }

  /** The bars between two rows. */
  *between(first: number, last: number): Generator<Bar> {
    this.#advance()
    for (const bar of this.#bars) {
      const to = this.#end(bar.from)
      if (bar.from <= last && to >= first) yield { ...bar, to }
    }
  }

  #end(request: number) {
    const end = Math.max(this.#store.partner(request), this.#store.ended(request))
    return end < 0 ? Number.POSITIVE_INFINITY : end
  }

  #advance() {
    const store = this.#store
    const emptied = store.emptied.peek()
    if (emptied !== this.#emptied) {
      this.#emptied = emptied
      this.#bars = []
      this.#levels.clear()
      this.#seen = 0
    }
    for (; this.#seen < store.length; this.#seen++) {
      const from = this.#seen
      if (store.kind(from) !== 'request') continue
      const connection = store.connection(from)
      const side = store.direction(from) === 'out' ? 'server' : 'client'
      const key = `${connection} ${side}`
      const levels = this.#levels.get(key) ?? []
      this.#levels.set(key, levels)
      const free = levels.findIndex((request) => this.#end(request) < from)
      const depth = free < 0 ? levels.length : free
      levels[depth] = from
      this.#bars.push({ connection, side, from, depth })
    }
  }
}
