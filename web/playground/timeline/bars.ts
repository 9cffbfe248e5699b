/** The activation bars of a sequence diagram: from a request to what ends it, on the responder's side. */

import { endsRequests } from '../messages/entry.ts'
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
  #bars: Bar[] = []
  #open = new Map<string, Bar>() // by connection, requesting direction and id
  #taken = new Map<string, boolean[]>() // used levels, by connection and side
  #seen = 0

  constructor(store: Store) {
    this.#store = store
  }

  /** Processes new rows. */
  advance(): void {
    const store = this.#store
    if (store.length < this.#seen) this.#forget()
    for (; this.#seen < store.length; this.#seen++) this.#look(this.#seen)
  }

  /** The bars between two rows. */
  *between(first: number, last: number): Generator<Bar> {
    for (const bar of this.#bars) {
      const ended = bar.to === Number.POSITIVE_INFINITY ? this.#store.ended(bar.from) : -1
      if (ended >= 0) this.#end(this.#keyOf(bar.from), ended)
      if (bar.from <= last && bar.to >= first) yield bar
    }
  }

  #look(row: number) {
    const store = this.#store
    const connection = store.connection(row)
    switch (store.kind(row)) {
      case 'request':
        return this.#begin(row, connection)
      case 'result':
      case 'error': {
        const request = store.partner(row)
        if (request >= 0) this.#end(this.#keyOf(request), row)
        return
      }
      case 'notification':
        // A cancellation has the id of a request in the same direction.
        if (store.method(row) === 'notifications/cancelled') {
          this.#end(`${connection} ${store.direction(row)} ${store.target(row)}`, row)
        }
        return
      case 'world':
        if (connection === 0 || !endsRequests(store.raw(row))) return
        for (const key of this.#open.keys())
          if (key.startsWith(`${connection} `)) this.#end(key, row)
    }
  }

  #keyOf(request: number) {
    const store = this.#store
    return `${store.connection(request)} ${store.direction(request)} ${store.id(request)}`
  }

  #begin(row: number, connection: number) {
    const side = this.#store.direction(row) === 'out' ? 'server' : 'client'
    const place = `${connection} ${side}`
    const taken = this.#taken.get(place) ?? []
    this.#taken.set(place, taken)
    const free = taken.indexOf(false)
    const depth = free < 0 ? taken.length : free
    taken[depth] = true
    const bar: Bar = { connection, side, from: row, to: Number.POSITIVE_INFINITY, depth }
    this.#bars.push(bar)
    this.#open.set(this.#keyOf(row), bar)
  }

  #end(key: string, row: number) {
    const bar = this.#open.get(key)
    if (!bar) return
    this.#open.delete(key)
    bar.to = row
    const taken = this.#taken.get(`${bar.connection} ${bar.side}`)
    if (taken) taken[bar.depth] = false
  }

  #forget() {
    this.#bars = []
    this.#open.clear()
    this.#taken.clear()
    this.#seen = 0
  }
}
