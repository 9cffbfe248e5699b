/** Compares answers: only subjects that answer as null does are raced. */

import type { Client, Result } from './client.ts'
import { idCount, itemCount, itemUri, largeUri, templateCount, templateUri } from './data.ts'
import type { Subject } from './subjects.ts'

/** Walks the list once. */
export async function collectCursors(client: Client): Promise<(string | undefined)[]> {
  const cursors: (string | undefined)[] = [undefined]
  for (let page = await client.call('resources/list', {}); page.nextCursor !== undefined; ) {
    cursors.push(page.nextCursor)
    page = await client.call('resources/list', { cursor: page.nextCursor })
  }
  return cursors
}

const large = (['100k', '10m'] as const).flatMap((size) =>
  (['published', 'function'] as const).map((way) => largeUri(`${size}-${way}`)),
)

/**
 * Whether two subjects give the same answers, without `_meta`, cursors, and members that modern revisions add. All
 * pages and large texts, and a part of the small ones.
 *
 * @returns the first request that is answered differently
 */
export async function firstDifference(
  one: Subject & { client: Client; cursors: readonly (string | undefined)[] },
  other: { client: Client; cursors: readonly (string | undefined)[] },
): Promise<string | undefined> {
  if (one.cursors.length !== other.cursors.length) return `${one.cursors.length} pages`
  if (!one.isModern) {
    const pong = await one.client.call('ping')
    if (Object.keys(pong).length > 0) return 'ping'
  }
  const paged = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })
  const uris = [...large]
  for (let n = 0; n < itemCount; n += 97) uris.push(itemUri(n))
  for (let n = 0; n < templateCount; n += 37) uris.push(templateUri(n, n % idCount))
  const asked = [
    ...one.cursors.map((cursor, i) => ['resources/list', paged(cursor), paged(other.cursors[i])]),
    ...uris.map((uri) => ['resources/read', { uri }, { uri }]),
  ] as [string, { uri?: string }, { uri?: string }][]
  for (const [i, [method, params, othersParams]] of asked.entries()) {
    const answers = await Promise.all([
      one.client.call(method, params),
      other.client.call(method, othersParams),
    ])
    const [answer, others] = answers.map((result) => JSON.stringify(sorted(plain(result))))
    if (answer !== others) return params.uri ?? `page ${i + 1}`
  }
  return undefined
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
