/** The stores that may be read, and their URIs. */

import { nameSegment } from './idb-keys.ts'
import { wrongOption } from './options.ts'

/**
 * The stores that may be read. There is no default and no wildcard.
 */
export interface IdbOptions {
  /**
   * Databases by name; of each, the names of its stores, or an object with options for each store:
   * `{ 'notes-app': ['notes'] }` or `{ 'notes-app': { notes: { title: 'title' } } }`.
   */
  databases: {
    readonly [database: string]: readonly string[] | { readonly [store: string]: StoreOptions }
  }
}

/**
 * How a store's records are served. Fields are own properties of a record that is a plain object.
 */
export interface StoreOptions {
  /** The field whose text is the resource's name; default: the key. */
  name?: string
  /** The field whose text is the resource's title; default: none. */
  title?: string
  /** The field whose text is the resource's description; default: none. */
  description?: string
  /**
   * The field with the time of the last change: a Date, a number of milliseconds since 1970,
   * or an ISO 8601 string. Listings then have it as `annotations.lastModified`; default: none.
   */
  modified?: string
  /**
   * The fields that may be read, besides those above in listings; default: whole records. Indexes
   * over other fields are not served then, since they would reveal values of those fields.
   */
  fields?: readonly string[]
}

/** A store that is served. */
export interface Served {
  database: string
  store: string
  options: StoreOptions
  /** Of the store; its records are below it. */
  uri: string
  /** Of its database. */
  home: string
}

/** A database of which stores are served. */
export interface ServedDatabase {
  database: string
  uri: string
  /** At least one. */
  stores: Served[]
}

/**
 * The databases that options name, in their order.
 *
 * @throws TypeError if the options name no stores in the documented way
 */
export function servedDatabases(options: IdbOptions): ServedDatabase[] {
  if (!isRecord(options.databases)) {
    throw wrongOption('idb', 'databases', 'an object: { database: [store, …] }', options.databases)
  }
  const databases = Object.entries(options.databases).map(([database, named]) => {
    if (!Array.isArray(named) && !isRecord(named)) {
      throw wrongOption('idb', `stores of ${quoted(database)}`, 'an array or an object', named)
    }
    const stores: [string, StoreOptions][] = Array.isArray(named)
      ? [...new Set(named as string[])].map((store) => [store, {}])
      : Object.entries(named as { [store: string]: StoreOptions })
    const uri = `idb:///${nameSegment(database)}`
    return {
      database,
      uri,
      stores: stores.map(([store, options]) => {
        if (typeof store !== 'string' || !isRecord(options)) {
          throw wrongOption(
            'idb',
            `a store of ${quoted(database)}`,
            'a name, or an object by name',
            typeof store === 'string' ? options : store,
          )
        }
        return { database, store, options, uri: `${uri}/${nameSegment(store)}`, home: uri }
      }),
    }
  })
  return databases.filter(({ stores }) => stores.length > 0)
}

/** Whether a listing needs the values of records, and not only their keys. */
export function hasLabels({ name, title, description, modified }: StoreOptions): boolean {
  return [name, title, description, modified].some((field) => field !== undefined)
}

/**
 * Whether records may be searched by a key path: an index over a field that may not be read would reveal
 * values of that field.
 */
export function maySeek({ fields }: StoreOptions, keyPath: string | readonly string[]): boolean {
  if (fields === undefined) return true
  return [keyPath].flat().every((path) => fields.includes(path.split('.')[0] ?? ''))
}

/** A name for people, in quotes. */
export function quoted(name: string): string {
  return JSON.stringify(name)
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
