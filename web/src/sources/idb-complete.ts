/** Completion of template variables from live data, bounded. */

import { InvalidParamsError } from '../call.ts'
import { type Completion, type CompletionContext, rankCompletions } from '../complete.ts'
import { result } from '../idb-request.ts'
import { NotFoundError, type Source } from '../source.ts'
import {
  keyFromText,
  keyText,
  nameFromSegment,
  nameSegment,
  segment,
  unescapeText,
} from './idb-keys.ts'
import type { Reader } from './idb-open.ts'
import { maySeek, type Served, type ServedDatabase } from './idb-options.ts'
import { indexOf } from './idb-range.ts'

/** The most keys that are read; of an index, where each value takes a step, the most values. */
const maxKeys = 1000
const maxSteps = 200

/** Longer keys are not offered. */
const maxOffered = 1000 // UTF-16 code units

/** Completes the variables of idb-templates.ts, from the present data. */
export function idbComplete(
  databases: readonly ServedDatabase[],
  read: Reader,
): NonNullable<Source['complete']> {
  return async (ref, { name, value }, { arguments: chosen, signal }) => {
    if (ref.type !== 'ref/resource' || !ref.uri.startsWith('idb:///')) {
      throw new NotFoundError(ref.type === 'ref/resource' ? ref.uri : ref.name)
    }
    const path = ref.uri.slice('idb:///'.length).replace(/(\{\?|\?).*$/, '')
    const parts = path.split('/').map((part) => chosenFor(part, chosen))
    const [home, storeName] = parts.slice(0, 2).map(nameFromSegment)
    const database = databases.find((one) => one.database === home)
    const store = database?.stores.find((one) => one.store === storeName)
    const isFixed = !path.startsWith('{')
    if (isFixed && database === undefined) throw new NotFoundError(ref.uri)
    const ofIndex = parts[2] === 'index'
    switch (name) {
      case 'database':
        return rankCompletions(await there(databases, read, signal, () => true), value)
      case 'store': {
        const among = database ? [database] : databases
        return rankCompletions(await there(among, read, signal, () => false), value)
      }
      case 'index':
        return rankCompletions(store ? await indexesOf(store, read, signal) : [], value)
      case 'key':
      case 'after':
        return store ? keysLike(store, undefined, value, read, signal) : []
      case 'value':
      case 'from':
      case 'to':
        if (store === undefined || (ofIndex && !parts[3])) return []
        return keysLike(store, ofIndex ? parts[3] : undefined, value, read, signal)
      case 'direction':
        return rankCompletions(['next', 'prev'], value)
      case 'limit':
        return rankCompletions(['10', '50', '100'], value)
      default:
        throw new InvalidParamsError(`the template has no variable ${JSON.stringify(name)}`)
    }
  }
}

/** A segment of the path: literal, or the chosen value of its variable. */
function chosenFor(part: string, chosen: CompletionContext['arguments']): string {
  const variable = /^\{(\w+)\}$/.exec(part)?.[1]
  if (variable === undefined) return part
  const value = Object.hasOwn(chosen, variable) ? chosen[variable] : undefined
  return value === undefined ? '' : segment(value.toWellFormed())
}

/** The names, as a variable takes them, of databases or stores that exist. */
async function there(
  databases: readonly ServedDatabase[],
  read: Reader,
  signal: AbortSignal,
  ofDatabase: (database: ServedDatabase) => boolean,
): Promise<string[]> {
  const names = await Promise.all(
    databases.map(async (one) => {
      const at = { database: one.database, stores: one.stores.map(({ store }) => store) }
      const stores = await read.inStores(at, signal, async (found) => found.map(({ name }) => name))
      if (stores === undefined) return []
      return (ofDatabase(one) ? [one.database] : stores).map(variable)
    }),
  )
  return [...new Set(names.flat())]
}

async function indexesOf(served: Served, read: Reader, signal: AbortSignal): Promise<string[]> {
  const names = await read.inStore(served, signal, async (store) =>
    Array.from(store.indexNames).filter((name) =>
      maySeek(served.options, store.index(name).keyPath),
    ),
  )
  return (names ?? []).map(variable)
}

/** The value of a variable with which the template expands to a name's path segment. */
function variable(name: string): string {
  return decodeURIComponent(nameSegment(name))
}

/**
 * Keys of a store, or values of an index, that fit the typed text: those that are equal to it or begin with
 * it as a string, and the first ones.
 */
async function keysLike(
  served: Served,
  index: string | undefined,
  typed: string,
  read: Reader,
  signal: AbortSignal,
): Promise<Completion> {
  const found = await read.inStore(served, signal, async (store) => {
    const place = index === undefined ? store : indexOf(store, index)
    if (place === undefined) return undefined
    if (place instanceof IDBIndex && !maySeek(served.options, place.keyPath)) return undefined
    const exact = keyFromText(typed) ?? (/^-?\d+$/.test(typed) ? Number(typed) : undefined)
    const beginning = unescapeText(typed.startsWith('s.') ? typed.slice(2) : typed)
    const near =
      typed === ''
        ? []
        : await firstKeys(place, IDBKeyRange.bound(beginning, `${beginning}\uffff`), 100)
    const same = exact === undefined ? [] : await firstKeys(place, IDBKeyRange.only(exact), 1)
    const most = index === undefined ? maxKeys : maxSteps
    const first = await firstKeys(place, null, most)
    return {
      keys: [...same, ...near, ...first],
      more: first.length === most || near.length === 100,
    }
  })
  const texts = (found?.keys ?? []).map(keyText).filter((text) => text.length <= maxOffered)
  return { values: rankCompletions([...new Set(texts)], typed), hasMore: found?.more ?? false }
}

/** The first different keys of a range. */
async function firstKeys(
  place: IDBObjectStore | IDBIndex,
  range: IDBKeyRange | null,
  most: number,
): Promise<IDBValidKey[]> {
  if (place instanceof IDBObjectStore) return result(place.getAllKeys(range, most))
  const request = place.openKeyCursor(range, 'nextunique')
  const keys: IDBValidKey[] = []
  for (let cursor = await result(request); cursor !== null; cursor = await result(request)) {
    if (keys.push(cursor.key) === most) break
    cursor.continue()
  }
  return keys
}
