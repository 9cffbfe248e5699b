/** Records in listings. */

import { result } from '../idb-request.ts'
import { plainLabel } from '../plain-label.ts'
import type { Resource } from '../source.ts'
import { keyLabel, keySegment, keyText } from './idb-keys.ts'
import { hasLabels, type Served } from './idb-options.ts'
import { asBinary, fieldText, fieldTime, json } from './idb-values.ts'

/**
 * The most records in memory at once while fields of them are read: each may be megabytes.
 */
const labelBatch = 32 // records

/**
 * The first `count` records after a key. Values are read only for labels of the
 * listing.
 */
export async function recordsAfter(
  store: IDBObjectStore,
  after: IDBValidKey | undefined,
  count: number,
  served: Served,
): Promise<Resource[]> {
  const beyond = (key: IDBValidKey | undefined) =>
    key === undefined ? null : IDBKeyRange.lowerBound(key, true)
  if (!hasLabels(served.options)) {
    const mimeType = alwaysJson(store.keyPath) ? json : undefined
    const keys = await result(store.getAllKeys(beyond(after), count))
    return keys.map((key) => ({
      uri: `${served.uri}/${keySegment(key)}`,
      name: nameOf(key),
      mimeType,
    }))
  }
  const resources: Resource[] = []
  for (let last = after; resources.length < count; ) {
    const wanted = Math.min(labelBatch, count - resources.length)
    const [keys, values] = await entries(store, beyond(last), wanted)
    resources.push(...keys.map((key, i) => recordResource(served, key, values[i])))
    if (keys.length < wanted) break
    last = keys.at(-1)
  }
  return resources
}

function recordResource({ uri, options }: Served, key: IDBValidKey, value: unknown): Resource {
  const binary = options.fields === undefined ? asBinary(value) : undefined
  const lastModified = fieldTime(value, options.modified)
  return {
    uri: `${uri}/${keySegment(key)}`,
    name: label(value, options.name) ?? nameOf(key),
    title: label(value, options.title),
    description: label(value, options.description, maxDescription),
    mimeType: binary?.mimeType ?? json,
    size: binary && (binary.blob instanceof Blob ? binary.blob.size : binary.blob.byteLength),
    annotations: lastModified === undefined ? undefined : { lastModified },
  }
}

/** The newest way to read keys and values together, where there is one. */
type Records = {
  getAllRecords?(options: {
    query: IDBKeyRange | null
    count: number
  }): IDBRequest<{ primaryKey: IDBValidKey; value: unknown }[]>
}

async function entries(
  store: IDBObjectStore & Records,
  range: IDBKeyRange | null,
  count: number,
): Promise<[IDBValidKey[], unknown[]]> {
  if (store.getAllRecords === undefined) {
    return Promise.all([result(store.getAllKeys(range, count)), result(store.getAll(range, count))])
  }
  const records = await result(store.getAllRecords({ query: range, count }))
  return [records.map((record) => record.primaryKey), records.map((record) => record.value)]
}

/**
 * Records with an inline key are objects, not bytes; but a property of a Blob may be the key as well.
 */
function alwaysJson(keyPath: string | string[] | null): boolean {
  return (
    keyPath !== null &&
    ![keyPath].flat().every((path) => /^(size|type|name|lastModified|length)?$/.test(path))
  )
}

/** The longest description of a record. */
const maxDescription = 1000 // UTF-16 code units

function label(value: unknown, field: string | undefined, max?: number): string | undefined {
  const text = fieldText(value, field)
  return text === undefined ? undefined : plainLabel(text, max) || undefined
}

function nameOf(key: IDBValidKey): string {
  return plainLabel(keyLabel(key), maxName) || keyText(key)
}

/** The longest name that is made of a key. */
const maxName = 120 // UTF-16 code units
