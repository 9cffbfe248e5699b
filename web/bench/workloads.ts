/**
 * The requests to each subject, and the goals for ours, in CPU time.
 */

import type { Ask, Client, Result } from './client.ts'
import { itemCount, sequence } from './data.ts'

export interface Workload {
  name: string
  /**
   * Operations of one round: enough for tens of ms, so that a garbage collection does not decide.
   */
  count: number
  inFlight: number
  /** Whether modern revisions lack the request. */
  classicOnly?: boolean
  /** The highest ratio of ours to the SDKs. */
  goal: number
  /**
   * Prepares one client, and returns the function that makes requests. Called for each round: the same seed
   * makes the same sequence.
   */
  ask(cursors: readonly (string | undefined)[], seed: number): Ask
}

const ping: Workload['ask'] = () => () => ['ping']

const read: Workload['ask'] = (_, seed) => {
  const next = sequence(seed)
  return () => ['resources/read', { uri: `app://records/item-${next(itemCount)}` }]
}

const followed: Workload['ask'] = () => (_, last) => {
  const cursor = last?.nextCursor
  return ['resources/list', cursor === undefined ? {} : { cursor }]
}

const anyPage: Workload['ask'] = (cursors, seed) => {
  const next = sequence(seed)
  return () => {
    const cursor = cursors[next(cursors.length)]
    return ['resources/list', cursor === undefined ? {} : { cursor }]
  }
}

export const workloads: readonly Workload[] = [
  { name: 'ping, serial', count: 40_000, inFlight: 1, goal: 0.15, classicOnly: true, ask: ping },
  {
    name: 'ping, 64 in flight',
    count: 40_000,
    inFlight: 64,
    goal: 0.15,
    classicOnly: true,
    ask: ping,
  },
  { name: 'list 50 of 10,000, serial', count: 10_000, inFlight: 1, goal: 0.3, ask: followed },
  { name: 'list 50, 16 in flight', count: 10_000, inFlight: 16, goal: 0.3, ask: anyPage },
  { name: 'read 1 KB, serial', count: 20_000, inFlight: 1, goal: 0.3, ask: read },
  { name: 'read 1 KB, 64 in flight', count: 20_000, inFlight: 64, goal: 0.3, ask: read },
]

/** Walks the list once: cursors of one subject are invalid for another. */
export async function collectCursors(client: Client): Promise<(string | undefined)[]> {
  const cursors: (string | undefined)[] = [undefined]
  for (let page = await client.call('resources/list', {}); page.nextCursor !== undefined; ) {
    cursors.push(page.nextCursor)
    page = await client.call('resources/list', { cursor: page.nextCursor })
  }
  return cursors
}

/**
 * All answers of a subject, without `_meta`, cursors, and members that modern revisions add.
 */
export async function allAnswers(
  client: Client,
  cursors: readonly (string | undefined)[],
  modern: boolean,
): Promise<string> {
  const answers: unknown[] = [modern ? {} : await client.call('ping')]
  for (const cursor of cursors) {
    answers.push(plain(await client.call('resources/list', cursor === undefined ? {} : { cursor })))
  }
  for (let n = 0; n < itemCount; n += 97) {
    answers.push(plain(await client.call('resources/read', { uri: `app://records/item-${n}` })))
  }
  return JSON.stringify(sorted(answers))
}

function plain(result: Result): Result {
  const { _meta, nextCursor, resultType, ttlMs, cacheScope, ...rest } = result
  const contents = rest.contents as { _meta?: unknown }[] | undefined
  if (contents === undefined) return { ...rest, more: nextCursor !== undefined }
  return { ...rest, contents: contents.map(({ _meta, ...content }) => content) }
}

/** The same value with its names in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}
