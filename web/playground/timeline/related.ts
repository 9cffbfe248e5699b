/** The first message that belongs to a request, besides its response: progress, or a message of its subscription. */

import type { Store } from '../messages/store.ts'
import { streams } from './format.ts'

/** Messages parsed per call; the next call continues. */
const most = 200 // messages

interface Search {
  /** JSON text of the progress token, or of the id of a subscription. */
  readonly key: string
  /** The next row to look at. */
  next: number
  found: number
}

interface Params {
  progressToken?: unknown
  _meta?: Record<string, unknown>
}

export class Related {
  readonly #store: Store
  readonly #searches = new Map<number, Search | undefined>() // undefined: nothing can belong to the request

  constructor(store: Store) {
    this.#store = store
  }

  /** The row of the first message so far, -1: none. Its request is the one of this row's exchange. */
  first(row: number): number {
    const store = this.#store
    const partner = store.partner(row)
    const request = partner < 0 ? row : Math.min(row, partner)
    if (!this.#searches.has(request)) this.#searches.set(request, this.#begin(request))
    const search = this.#searches.get(request)
    if (search === undefined || search.found >= 0) return search?.found ?? -1
    const end = partner < 0 ? store.length : Math.max(row, partner)
    for (let parsed = 0; search.next < end && parsed < most; search.next++) {
      const next = search.next
      if (store.kind(next) !== 'notification') continue
      if (store.connection(next) !== store.connection(request)) continue
      parsed++
      const params = this.#params(next)
      const subscription = params?._meta?.['io.modelcontextprotocol/subscriptionId']
      if ([params?.progressToken, subscription].some((one) => JSON.stringify(one) === search.key)) {
        search.found = next
        return next
      }
    }
    return -1
  }

  #begin(request: number): Search | undefined {
    const store = this.#store
    if (store.kind(request) !== 'request') return undefined
    const key = streams.includes(store.method(request))
      ? store.id(request)
      : JSON.stringify(this.#params(request)?._meta?.progressToken)
    return key === undefined ? undefined : { key, next: request + 1, found: -1 }
  }

  #params(row: number): Params | undefined {
    return (this.#store.message(row) as { params?: Params } | undefined)?.params
  }
}
