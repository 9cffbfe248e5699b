/** What is measured: requests to each subject, and announcements of changes. */

import type { Ask, Client } from './client.ts'
import {
  idCount,
  isPublished,
  itemCount,
  itemUri,
  type LargeName,
  largeUri,
  sequence,
  templateCount,
  templateUri,
} from './data.ts'
import type { Subject } from './subjects.ts'

export interface Workload {
  name: string
  /** Whether modern revisions lack the request. */
  isClassicOnly?: boolean
  /** Operations of one round: enough for tens of ms, so that a garbage collection does not decide. */
  count: number
  /**
   * Does `count` operations, and returns the time of one, in ms. The same seed makes the same sequence of
   * requests.
   */
  run(racer: Racer, count: number, seed: number): Promise<number>
}

/** A subject with its client, and what workloads need of it. */
export interface Racer extends Subject {
  client: Client
  /** Of its list: a subject's cursors are invalid for another. */
  cursors: readonly (string | undefined)[]
  /** Clients that have subscribed to the same URIs, by how many they are. */
  crowds: Map<number, Crowd>
}

interface Crowd {
  clients: readonly Client[]
  /** When it was used last, ms. */
  ended: number
}

type MakeAsk = (racer: Racer, seed: number) => Ask

const ping: MakeAsk = () => () => ['ping']

/** Reads any record of a kind. */
const record =
  (published: boolean): MakeAsk =>
  (_, seed) => {
    const next = sequence(seed)
    const first = isPublished(0) === published ? 0 : 1
    return () => ['resources/read', { uri: itemUri(2 * next(itemCount / 2) + first) }]
  }

const large =
  (name: LargeName): MakeAsk =>
  () =>
  () => ['resources/read', { uri: largeUri(name) }]

const template: MakeAsk = (_, seed) => {
  const next = sequence(seed)
  return () => ['resources/read', { uri: templateUri(next(templateCount), next(idCount)) }]
}

const nextPage: MakeAsk = () => (_, last) => {
  const cursor = last?.nextCursor
  return ['resources/list', cursor === undefined ? {} : { cursor }]
}

const anyPage: MakeAsk = ({ cursors }, seed) => {
  const next = sequence(seed)
  return () => {
    const cursor = cursors[next(cursors.length)]
    return ['resources/list', cursor === undefined ? {} : { cursor }]
  }
}

function requests(name: string, count: number, inFlight: number, ask: MakeAsk): Workload {
  return {
    name,
    count,
    isClassicOnly: ask === ping,
    run: async (racer, count, seed) =>
      (await racer.client.run(count, inFlight, ask(racer, seed))) / count,
  }
}

export const workloads: readonly Workload[] = [
  requests('ping, serial', 400, 1, ping),
  requests('ping, 64 in flight', 4_000, 64, ping),
  requests('list 50 of 10,000, serial', 200, 1, nextPage),
  requests('list 50, 16 in flight', 600, 16, anyPage),
  requests('read 1 KB published, serial', 400, 1, record(true)),
  requests('read 1 KB published, 64 in flight', 4_000, 64, record(true)),
  requests('read 1 KB function, serial', 400, 1, record(false)),
  requests('read 1 KB function, 64 in flight', 4_000, 64, record(false)),
  requests('read 100 KB published', 60, 1, large('100k-published')),
  requests('read 100 KB function', 60, 1, large('100k-function')),
  requests('read 10 MB text published', 3, 1, large('10m-published')),
  requests('read 10 MB text function', 3, 1, large('10m-function')),
  requests('template read of 1,000, serial', 300, 1, template),
  requests('template read of 1,000, 64 in flight', 1_500, 64, template),
  fanOut(1, 1_000),
  fanOut(10, 1_000),
  fanOut(100, 100),
]

/**
 * Announces a change of each of `uris` resources, to which `size` clients have subscribed. An operation is one
 * delivery. Ours merges changes of one URI that follow within {@link updateInterval}: so each changes once, and
 * the same clients are not used again before.
 */
function fanOut(size: number, uris: number): Workload {
  const deliveries = size * uris
  const uri = (n: number) => itemUri(String(size).length * 2_000 + n)
  const openCrowd = async (racer: Racer): Promise<Crowd> => {
    const clients = await Promise.all(Array.from({ length: size }, () => racer.open()))
    for (const client of clients)
      await client.run(uris, 64, (n) => ['resources/subscribe', { uri: uri(n) }])
    return { clients, ended: -Infinity }
  }
  return {
    name: `fan-out to ${size}, per delivery`,
    count: deliveries,
    isClassicOnly: true,
    async run(racer) {
      const crowd = racer.crowds.get(size) ?? (await openCrowd(racer))
      racer.crowds.set(size, crowd)
      const rest = crowd.ended + 2 * updateInterval - performance.now()
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest))
      let missing = deliveries
      const begun = performance.now()
      await new Promise<void>((resolve) => {
        const arrived = () => {
          if (--missing === 0) resolve()
        }
        for (const client of crowd.clients) client.notified = arrived
        for (let n = 0; n < uris; n++) racer.touch(uri(n))
      })
      crowd.ended = performance.now()
      return (crowd.ended - begun) / deliveries
    },
  }
}

/** Go's engine.Options.UpdateInterval. */
const updateInterval = 250 // ms
