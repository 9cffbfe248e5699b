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
export function servedDatabases({ databases }: IdbOptions): ServedDatabase[] {
  const wrong = (value: unknown) =>
    wrongOption('idb', 'databases', 'as in { notes: [store] } or { notes: { store: {} } }', value)
  if (!isRecord(databases)) throw wrong(databases)
  return Object.entries(databases).flatMap(([database, named]) => {
    const byName = Array.isArray(named) ? [...new Set(named)].map((name) => [name, {}]) : undefined
    if (!byName && !isRecord(named)) throw wrong(databases)
    const uri = `idb:///${nameSegment(database)}`
    const stores = (byName ?? Object.entries(named)).map(([store, options]): Served => {
      if (typeof store !== 'string' || !isRecord(options)) throw wrong(databases)
      return { database, store, options, uri: `${uri}/${nameSegment(store)}`, home: uri }
    })
    return stores.length > 0 ? [{ database, uri, stores }] : []
  })
}

/** Whether a listing needs the values of records, and not only their keys. */
export function hasLabels({ name, title, description }: StoreOptions): boolean {
  return [name, title, description].some((field) => field !== undefined)
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
