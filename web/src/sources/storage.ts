import { rankCompletions } from '../complete.ts'
import { plainLabel } from '../plain-label.ts'
import { BadCursorError, type Listing, NotFoundError, type Source } from '../source.ts'
import { commonOptions, type PollingOptions, wrongOption } from './options.ts'
import { type Area, type AreaName, area, entryOf, type StorageKeys } from './storage-keys.ts'
import { keysOf, valueAt, watchArea } from './storage-watch.ts'

/**
 * The keys that may be read. There is no default and no wildcard. `poll`, by default 1,000 ms, finds assignments
 * (`localStorage.x = 1`), which have no event.
 */
export interface StorageOptions extends PollingOptions {
  /** Of `localStorage`: keys, and `{ prefix: 'draft:' }` for all keys with a prefix. */
  local?: StorageKeys
  /** Of `sessionStorage`. */
  session?: StorageKeys
}

/** The default interval of polling. */
const defaultPoll = 1000 // ms

/**
 * Publishes entries of web storage, read-only, in the window: `storage:///local/{key}` and
 * `storage:///session/{key}`, as `application/json` if the value is JSON, else `text/plain`. Keys are
 * percent-encoded; those that are no valid path segment are encoded like names of databases (idb-keys.ts).
 *
 * Keys of a prefix that look like a secret (`token`, `secret`, `password`, `session`, `auth`, `key` …),
 * and values that do, are left out; a key that is named exactly is served. Secrets within a value are
 * not removed: use `redact` of {@link StartOptions}.
 *
 * Changes are announced while there are listeners: of other tabs by the `storage` event, of this window
 * when `setItem`, `removeItem` or `clear` has returned. Assignments (`localStorage.x = 1`) are found by
 * {@link PollingOptions.poll}, at the next click or change of a field, or when the window is shown again.
 *
 * @returns a source (Go's `engine.Source`, `engine.Watcher`, `engine.Completer`)
 * @throws TypeError if no keys are named in the documented way
 */
export function storage(options: StorageOptions): Source {
  const { every, signal: ends } = commonOptions('storage', options, defaultPoll)
  const areas = (['local', 'session'] as const).flatMap((name) => {
    const keys = options[name]
    return keys === undefined ? [] : [area(name, keys)]
  })
  if (areas.length === 0) {
    throw wrongOption(
      'storage',
      'local or session',
      "an array of keys such as ['theme']",
      undefined,
    )
  }
  const served = (one: Area) => {
    const store = storageOf(one.name)
    if (store === undefined) return []
    return keysOf(store).filter(
      (key) => one.names(key) && one.serves(key, valueAt(store, key) ?? ''),
    )
  }

  return {
    /** The cursor is the URI of the last resource. */
    async list(cursor, { pageSize }): Promise<Listing> {
      const from = cursor === undefined ? undefined : entryOf(cursor)
      if (cursor !== undefined && !areas.some(({ name }) => name === from?.area)) {
        throw new BadCursorError(cursor)
      }
      const all = areas.flatMap((one) => served(one).map((key) => ({ one, key })))
      const rest =
        from === undefined
          ? all
          : all.filter(({ one, key }) =>
              one.name === from.area ? key > from.key : one.name > from.area,
            )
      const resources = rest.slice(0, pageSize).map(({ one, key }) => ({
        uri: one.uri(key),
        name: plainLabel(key) || one.uri(key),
        description: `An entry of ${one.name}Storage.`,
      }))
      return rest.length > pageSize
        ? { resources, nextCursor: resources.at(-1)?.uri }
        : { resources }
    },

    async read(uri) {
      const entry = entryOf(uri)
      const one = areas.find(({ name }) => name === entry?.area)
      const store = one && storageOf(one.name)
      if (entry === undefined || one === undefined || store === undefined)
        throw new NotFoundError(uri)
      const text = one.names(entry.key) ? valueAt(store, entry.key) : null
      if (text === null || !one.serves(entry.key, text)) throw new NotFoundError(uri)
      return [{ uri, mimeType: isJson(text) ? 'application/json' : 'text/plain', text }]
    },

    templates: async () =>
      areas.map(({ name }) => ({
        uriTemplate: `storage:///${name}/{key}`,
        name: `${name}Storage`,
        description: `An entry of ${name}Storage, by its key.`,
      })),

    async complete(ref, { name, value }) {
      const one = areas.find(
        (each) => 'uri' in ref && ref.uri.startsWith(each.uri('x').slice(0, -1)),
      )
      // A key with lone surrogates cannot be typed.
      return name === 'key' && one
        ? rankCompletions(
            served(one).filter((key) => key.isWellFormed()),
            value,
          )
        : []
    },

    watch(changed, listening) {
      const signal = ends ? AbortSignal.any([listening, ends]) : listening
      if (signal.aborted) return
      for (const one of areas) {
        const store = storageOf(one.name)
        if (store === undefined) continue
        const announce = (key: string, list: boolean) => {
          changed(one.uri(key))
          if (list) changed()
        }
        watchArea(store, one, announce, every, signal)
      }
    },
  }
}

/** `undefined` where there is no storage: in a sandbox, or if the user has disabled it. */
function storageOf(name: AreaName): Storage | undefined {
  try {
    return name === 'local' ? globalThis.localStorage : globalThis.sessionStorage
  } catch {
    return undefined
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
