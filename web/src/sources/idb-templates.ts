/** The URI templates of served databases. */

import type { Template } from '../source.ts'
import { quoted, type ServedDatabase } from './idb-options.ts'

const keysAre =
  'Keys are typed: n.1 is the number 1, s.one the string "one", d.2026-01-31T12:00:00.000Z a date.'
const goesOn =
  'At most 100 records are read at once, in order; the first item says which they are, and as `next` the query that goes on.'

/** One template of records for each store, and general ones for the rest. */
export function templatesOf(databases: readonly ServedDatabase[]): Template[] {
  const stores = databases.flatMap(({ stores }) => stores)
  if (stores.length === 0) return []
  return [
    ...stores.map(({ uri, database, store }) => ({
      uriTemplate: `${uri}/{key}`,
      name: store,
      description: `A record of the store ${quoted(store)} in the database ${quoted(database)}. ${keysAre}`,
    })),
    {
      uriTemplate: 'idb:///{database}',
      name: 'database',
      description:
        'The schema of a database: version, stores, key paths, indexes, and how many records there are.',
      mimeType: 'application/json',
    },
    {
      uriTemplate: 'idb:///{database}/{store}',
      name: 'store',
      description: 'What a store holds: how many records, its key path and its indexes.',
      mimeType: 'application/json',
    },
    {
      uriTemplate: 'idb:///{database}/{store}/{key}',
      name: 'record',
      description: `A record of a store. ${keysAre}`,
    },
    {
      uriTemplate: 'idb:///{database}/{store}/range{?from,to,after,direction,limit}',
      name: 'range',
      description: `Records from one key to another, both included. ${goesOn} ${keysAre}`,
    },
    {
      uriTemplate: 'idb:///{database}/{store}/index/{index}{?from,to,after,direction,limit}',
      name: 'index',
      description: `Records by what an index finds in them, from one value to another. ${goesOn} Values are typed like keys; direction is next or prev.`,
    },
    {
      uriTemplate: 'idb:///{database}/{store}/index/{index}/{value}{?after,direction,limit}',
      name: 'value',
      description: `Records for which an index has a value. ${goesOn} Values are typed like keys.`,
    },
  ]
}
