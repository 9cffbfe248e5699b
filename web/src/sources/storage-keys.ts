/** Which keys of web storage are served, and what they are called in URIs. */

import { isSecretName, isSecretValue } from '../secrets.ts'
import { nameFromSegment, nameSegment } from './idb-keys.ts'
import { wrongOption } from './options.ts'

/** `localStorage`, or `sessionStorage`. */
export type AreaName = 'local' | 'session'

/** A key by its name, or all that begin with a prefix. */
export type StorageKeys = readonly (string | { readonly prefix: string })[]

/** What is served of one area. */
export interface Area {
  readonly name: AreaName
  /** Whether an entry may be read. */
  serves(key: string, value: string): boolean
  /** Whether a key may be one of them, whatever its value. */
  names(key: string): boolean
  uri(key: string): string
}

/**
 * Returns the area with the keys that clients may read. A key that `keys` names exactly is always served. A key that
 * only begins with a prefix is not served if its name or value looks like a secret: a prefix also selects keys that
 * the app's author did not think of.
 *
 * @throws TypeError if the keys are not named in the documented way
 */
export function area(name: AreaName, keys: StorageKeys): Area {
  if (!Array.isArray(keys)) {
    throw wrongOption('storage', name, "an array of keys such as ['theme']", keys)
  }
  const exact = new Set<string>()
  const prefixes: string[] = []
  for (const key of keys as StorageKeys) {
    if (typeof key === 'string') exact.add(key)
    else if (typeof key?.prefix === 'string' && key.prefix !== '') prefixes.push(key.prefix)
    else throw wrongOption('storage', `a key of ${name}`, "a text or { prefix: 'draft:' }", key)
  }
  const names = (key: string) =>
    exact.has(key) || (prefixes.some((prefix) => key.startsWith(prefix)) && !isSecretName(key))
  return {
    name,
    names,
    serves: (key, value) => names(key) && (exact.has(key) || !isSecretValue(value)),
    uri: (key) => `storage:///${name}/${nameSegment(key)}`,
  }
}

/** The area and the key that a URI names; undefined if it names none. */
export function entryOf(uri: string): { area: AreaName; key: string } | undefined {
  const [, name, segment] = /^storage:\/\/\/(local|session)\/([^\/?#]+)$/.exec(uri) ?? []
  if (segment === undefined) return undefined
  const key = nameFromSegment(segment)
  return key === undefined ? undefined : { area: name as AreaName, key }
}
