/** Compares two JSON values: lists the paths at which they differ. */

import { isObject } from '../protocol/revisions.ts'
import { diffLists } from './diff-text.ts'

export interface Difference {
  /** RFC 6901; in arrays, the index in the new one, or of a removed item, in the old one. */
  path: string
  kind: 'added' | 'removed' | 'changed'
  before?: unknown
  after?: unknown
}

/** Further differences are omitted. */
export const maxDifferences = 500

/** Deeper values are compared as texts: a hostile value has thousands of levels. */
const maxDepth = 40

/** A value's JSON; `…` for one that is too deep to serialise. */
export function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '…'
  }
}

interface Members {
  readonly [name: string]: unknown
}

const depthOf = (path: string) => path.split('/').length

const step = (path: string, part: string | number) =>
  `${path}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** In the order of the new value, removed members last. */
export function diffJson(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = []
  compare('', before, after, found)
  return found
}

function compare(path: string, before: unknown, after: unknown, found: Difference[]): void {
  if (found.length >= maxDifferences || before === after) return
  if (path.length > maxDepth && depthOf(path) > maxDepth) {
    if (written(before) !== written(after)) found.push({ path, kind: 'changed', before, after })
  } else if (isObject(before) && isObject(after)) members(path, before, after, found)
  else if (Array.isArray(before) && Array.isArray(after)) items(path, before, after, found)
  else found.push({ path, kind: 'changed', before, after })
}

function members(path: string, before: Members, after: Members, found: Difference[]) {
  for (const [name, value] of Object.entries(after)) {
    if (found.length >= maxDifferences) return
    if (Object.hasOwn(before, name)) compare(step(path, name), before[name], value, found)
    else found.push({ path: step(path, name), kind: 'added', after: value })
  }
  for (const [name, value] of Object.entries(before)) {
    if (found.length >= maxDifferences) return
    if (!Object.hasOwn(after, name)) {
      found.push({ path: step(path, name), kind: 'removed', before: value })
    }
  }
}

/** Items with the same `uri`, `name` or `id` are compared with each other. */
const nameOf = (item: unknown): string => {
  if (isObject(item)) {
    for (const key of ['uri', 'uriTemplate', 'id', 'name']) {
      if (typeof item[key] === 'string') return `${key} ${item[key]}`
    }
  }
  return written(item)
}

function items(
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
  found: Difference[],
) {
  let a = 0 // index in the old list
  let b = 0
  const changes = diffLists(before.map(nameOf), after.map(nameOf))
  for (const [index, { added, removed, value }] of changes.entries()) {
    const next = changes[index + 1]
    // What was removed where as much was added is the same item, changed.
    const isReplaced = removed && next?.added && next.value.length === value.length
    const isReplacing =
      added && changes[index - 1]?.removed && changes[index - 1]?.value.length === value.length
    for (let i = 0; i < value.length && found.length < maxDifferences; i++) {
      if (isReplacing) break
      if (isReplaced || !(added || removed))
        compare(step(path, b + i), before[a + i], after[b + i], found)
      else if (removed)
        found.push({ path: step(path, a + i), kind: 'removed', before: before[a + i] })
      else found.push({ path: step(path, b + i), kind: 'added', after: after[b + i] })
    }
    if (!added) a += value.length
    if (!removed) b += value.length
  }
}
