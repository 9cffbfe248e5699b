/**
 * Events that an app offers, and the store of those that it keeps, in the IndexedDB database `pagemcp`. Events belong to a
 * tab, through all its reloads.
 *
 * A file of its own in the package, loaded by the first event.
 */

import type { ToolSchema } from './callee.ts'
import { inDatabase } from './database.ts'
import type { EventDescription } from './event-types.ts'
import { result } from './idb-request.ts'
import type { Descriptions } from './registry.ts'
import { checker, explain } from './schema.ts'
import { tabOwner } from './tab-owner.ts'

/** Registers descriptions. */
type Publish = (added: Descriptions, behind: object[]) => { remove(): void }

/** An event that is offered. */
export interface Offer {
  /** @param data - JSON text; `undefined`: it has none */
  emit(data: string | undefined, time: number): Promise<void>
  remove(): void
}

/** Bytes of JSON text of one event; Go's engine has the same limit. */
const maxData = 16 << 10

/** What is offered under each name by an engine, the latest last. */
const offered = new WeakMap<Publish, Map<string, object[]>>()

/** @throws TypeError for a description that is not valid */
export function offerEvent(own: EventDescription<ToolSchema>, publish: Publish): Offer {
  const { name, description, inputSchema, payloadSchema, keep = false, show } = own
  if (typeof name !== 'string' || !/^[\w.-]{1,128}$/.test(name)) {
    throw new TypeError(
      `the name of an event is 1 to 128 letters, digits, "_", "-" and ".", not ${JSON.stringify(name)}`,
    )
  }
  if (typeof description !== 'string' || description.trim() === '') {
    throw new TypeError(`the event ${name} needs a description: what has happened`)
  }
  if (/(^|\.)resource_updated$/.test(name)) {
    throw new TypeError(`${name} is the event of resources, which every page has: call changed`)
  }
  const input = inputSchema && checker(`inputSchema of ${name}`, inputSchema, 'input')
  const payload = payloadSchema && checker(`payloadSchema of ${name}`, payloadSchema, 'output')
  const described = {
    name,
    description,
    inputSchema: input?.json,
    payloadSchema: payload?.json,
    keep,
    _meta: show ? { 'io.github.pagemcp/show': true } : undefined,
  }
  const once = (event: object) => publish({ events: [event] }, [{}]).remove()
  let { remove } = publish({ events: [described] }, [{}])
  const all = offered.get(publish) ?? new Map<string, object[]>()
  offered.set(publish, all)
  const others = () => (all.get(name) ?? []).filter((other) => other !== described)
  all.set(name, [...others(), described])
  let last = Promise.resolve()
  let isRemoved = false
  return {
    emit(data, time) {
      const checked = last.then(async () => {
        if (isRemoved) return
        once({ emit: name, data: await checkedData(name, data, payload), time })
      })
      last = checked.catch(() => {})
      return checked
    },
    remove() {
      if (isRemoved) return
      isRemoved = true
      const left = others()
      all.set(name, left)
      remove()
      const next = left.at(-1)
      if (next === undefined) once({ remove: name })
      else ({ remove } = publish({ events: [next] }, [{}]))
    },
  }
}

async function checkedData(
  name: string,
  text: string | undefined,
  payload: ReturnType<typeof checker> | undefined,
): Promise<unknown> {
  if (text === undefined) throw new TypeError(`the data of ${name} is nothing that JSON can write`)
  if (new TextEncoder().encode(text).length > maxData) {
    throw new TypeError(`the data of ${name} has more than 16 KiB`)
  }
  const data: unknown = JSON.parse(text)
  const checked = await payload?.check(data)
  if (checked && 'problems' in checked) {
    throw new TypeError(`the data of ${name} does not fit: ${explain(checked.problems)}`)
  }
  return data
}

/** A question of the engine: to store an event, or for those that there are. */
export interface EventQuestion {
  readonly app: string
  readonly event?: { readonly emit: string; readonly data: unknown; readonly time: number }
  /** Counts from {@link Restored.base}. */
  readonly number?: number
}

/** What the engine continues with: see RestoreEvents in wasm/engine/event_put.go. */
interface Restored {
  readonly epoch: number
  readonly base: number
  readonly lost: number
  readonly kept: StoredEvent[]
}

interface StoredEvent {
  readonly number: number
  readonly name: string
  readonly time: number
  readonly data: unknown
}

interface Ring {
  readonly epoch: number
  readonly base: number
  readonly lost: number
  /** When a document used it last, ms since 1970. */
  readonly used: number
}

const what = 'events'

/** How many are kept, and their bytes of JSON, about. */
const maxKept = 1_000
const maxKeptBytes = 256 << 10

/** More than a document ever emits: numbers of the next one are greater. */
const numbersOfDocument = 2 ** 32

/** How long the events of a tab that does not come back are kept, ms. */
const keptFor = 7 * 24 * 3_600_000

let owner: Promise<string> | undefined

export async function answerEvents(question: EventQuestion): Promise<object> {
  owner ??= tabOwner('pagemcp.events')
  const ring = [await owner, question.app]
  if (question.event === undefined) return restored(ring)
  const { emit: name, data, time } = question.event
  await stored(ring, { number: question.number ?? 0, name, time, data })
  return {}
}

const keysOf = (ring: string[]) => IDBKeyRange.bound([...ring, 0], [...ring, Number.MAX_VALUE])

/** The events of earlier documents; without IndexedDB there are none. */
async function restored(ring: string[]): Promise<Restored> {
  const fresh = { epoch: randomNumber(), base: 1, lost: 0, kept: [] }
  const found = await inDatabase(['events'], 'readwrite', what, async (transaction) => {
    const store = transaction.objectStore('events')
    await forgetOthers(store, ring)
    const known = (await result(store.get(ring))) as Ring | undefined
    const all = (await result(store.getAll(keysOf(ring)))) as StoredEvent[]
    let { epoch, base, lost } = known ?? fresh
    let bytes = 0
    let first = all.length
    while (first > 0 && all.length - first < maxKept) {
      bytes += JSON.stringify(all[first - 1]).length
      if (bytes > maxKeptBytes) break
      first--
    }
    if (first > 0) {
      lost = all[first - 1]?.number ?? lost
      store.delete(IDBKeyRange.bound([...ring, 0], [...ring, lost]))
    }
    if (known) base = Math.max(base, all.at(-1)?.number ?? 0) + numbersOfDocument
    store.put({ epoch, base, lost, used: Date.now() } satisfies Ring, ring)
    return { epoch, base, lost, kept: all.slice(first) }
  })
  return found ?? fresh
}

/** Stores an event, in the place of the oldest if there are many. */
async function stored(ring: string[], event: StoredEvent): Promise<void> {
  await inDatabase(['events'], 'readwrite', what, async (transaction) => {
    const store = transaction.objectStore('events')
    const known = (await result(store.get(ring))) as Ring | undefined
    if (known === undefined) return // the user has deleted it meanwhile
    const number = known.base + event.number
    store.put({ ...event, number }, [...ring, number])
    const count = await result(store.count(keysOf(ring)))
    if (count > maxKept) {
      const oldest = await result(store.openCursor(keysOf(ring)))
      if (oldest) {
        const lost = (oldest.value as StoredEvent).number
        oldest.delete()
        store.put({ ...known, lost, used: Date.now() } satisfies Ring, ring)
      }
    }
  })
}

/** Deletes the events of tabs that have not come back for days. */
async function forgetOthers(store: IDBObjectStore, ring: string[]): Promise<void> {
  for (const key of await result(store.getAllKeys())) {
    if (!Array.isArray(key) || key.length !== 2 || String(key) === String(ring)) continue
    const { used } = (await result(store.get(key))) as Ring
    if (used > Date.now() - keptFor) continue
    store.delete(key)
    store.delete(keysOf(key as string[]))
  }
}

function randomNumber(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return (high % 2 ** 20) * 2 ** 32 + low
}
