/** What the kits of tests share to look at a source. Everything here runs in the browser. */

import type { Source } from '../../src/source.ts'

export const never = new AbortController().signal

/** All URIs that are listed, by pages of `pageSize`. */
export async function list(source: Source, pageSize = 100): Promise<string[]> {
  const all: string[] = []
  let cursor: string | undefined
  do {
    const page = await source.list(cursor, { pageSize, signal: never })
    if (page.resources.length > pageSize) throw new Error('more than asked for')
    all.push(...page.resources.map(({ uri }) => uri))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return all
}

/**
 * Changes as they come: 'list' is the list, and a star stands for all that begins so. Who has waited
 * for some forgets what came with them.
 */
export function changes(source: Source) {
  const seen: string[] = []
  let look = () => {}
  const controller = new AbortController()
  source.watch?.((uri, under) => {
    seen.push(`${uri ?? 'list'}${under ? '*' : ''}`)
    look()
  }, controller.signal)
  const heard = async (...wanted: string[]): Promise<string[]> => {
    await new Promise<void>((resolve) => {
      look = () => wanted.every((one) => seen.includes(one)) && resolve()
      look()
    })
    return seen.splice(0)
  }
  return {
    seen,
    stop: () => controller.abort(),
    /** What came until all of `wanted` did, in order. */
    heard,
    /** The same without order or doubles. */
    until: async (...wanted: string[]) => [...new Set(await heard(...wanted))].sort(),
  }
}
