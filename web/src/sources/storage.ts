import { rankCompletions } from '../answer-call.ts'
import { isSecretName, isSecretValue } from '../redact.ts'
import { BadCursorError, NotFoundError, type Source } from '../source.ts'
import { plainLabel } from '../translation.ts'
import { wrongOption } from './idb.ts'
import { nameFromSegment, nameSegment } from './idb-open.ts'
import { observeCalls } from './wrap.ts'

/** A key by its name, or all that begin with a prefix. */
type StorageKeys = readonly (string | { readonly prefix: string })[]

/** The keys that may be read. There is no default and no wildcard. */
export interface StorageOptions {
  /** Of `localStorage`: keys, and `{ prefix: 'draft:' }` for all keys with a prefix. */
  local?: StorageKeys
  /** Of `sessionStorage`. */
  session?: StorageKeys
}

/** The interval in which assignments are looked for, which have no event. */
const pollInterval = 1000 // ms

/**
 * Publishes entries of web storage, read-only, in the window: `storage:///local/{key}` and
 * `storage:///session/{key}`, as `application/json` if the value is JSON, else `text/plain`. Keys are
 * percent-encoded; those that are no valid path segment are encoded like names of databases (idb-open.ts).
 *
 * Keys of a prefix that look like a secret (`token`, `secret`, `password`, `session`, `auth`, `key` …),
 * and values that do, are left out: a prefix also selects keys that the app's author did not think of. A key that is
 * named exactly is served. Secrets within a value are not removed: use `redact` of {@link StartOptions}.
 *
 * Changes are announced while there are listeners: of other tabs by the `storage` event, of this window
 * when `setItem`, `removeItem` or `clear` has returned, and assignments (`localStorage.x = 1`) within a second.
 *
 * @returns a source (Go's `engine.Source`, `engine.Watcher`, `engine.Completer`)
 * @throws TypeError if no keys are named in the documented way
 * @see https://html.spec.whatwg.org/multipage/webstorage.html
 */
export function storage(options: StorageOptions): Source {
  const named = (['local', 'session'] as const).filter((area) => options[area] !== undefined)
  const areas = named.map((area) => ({ area, keys: checked(area, options[area]) }))
  if (areas.length === 0) throw wrongOption('storage', 'local or session', keysAre, undefined)

  /** The entries that clients may read, by URI, in the order of areas and keys. */
  const entries = () =>
    new Map(
      areas.flatMap(({ area, keys }) =>
        entriesOf(area, keys).map(([key, value]) => [uriOf(area, key), { area, key, value }]),
      ),
    )

  return {
    /** The cursor is the URI of the last resource. */
    async list(cursor, { pageSize }) {
      const from = cursor === undefined ? undefined : entryOf(cursor)
      if (cursor !== undefined && from === undefined) throw new BadCursorError(cursor)
      const rest = [...entries()].filter(
        ([, { area, key }]) => !from || area > from.area || (area === from.area && key > from.key),
      )
      const resources = rest.slice(0, pageSize).map(([uri, { area, key }]) => ({
        uri,
        name: plainLabel(key) || uri,
        description: `An entry of ${area}Storage.`,
      }))
      const nextCursor = rest.length > pageSize ? resources.at(-1)?.uri : undefined
      return { resources, nextCursor }
    },

    async read(uri) {
      const named = entryOf(uri) // in any spelling
      const entry = named && entries().get(uriOf(named.area, named.key))
      if (entry === undefined) throw new NotFoundError(uri)
      const text = entry.value
      return [{ uri, mimeType: isJson(text) ? 'application/json' : 'text/plain', text }]
    },

    templates: async () =>
      areas.map(({ area }) => ({
        uriTemplate: `storage:///${area}/{key}`,
        name: `${area}Storage`,
        description: `An entry of ${area}Storage, by its key.`,
      })),

    async complete(ref, { name, value }) {
      if (name !== 'key' || !('uri' in ref)) return []
      const keys = [...entries().values()]
        .filter(({ area, key }) => ref.uri === `storage:///${area}/{key}` && key.isWellFormed())
        .map(({ key }) => key)
      return rankCompletions(keys, value)
    },

    watch(changed, signal) {
      let known = entries()
      const check = () => {
        const before = known
        known = entries()
        let isOther = false
        for (const uri of new Set([...before.keys(), ...known.keys()])) {
          if (before.get(uri)?.value === known.get(uri)?.value) continue
          changed(uri)
          isOther ||= !before.has(uri) || !known.has(uri)
        }
        if (isOther) changed()
      }
      addEventListener('storage', check, { signal })
      for (const name of ['setItem', 'removeItem', 'clear'] as const) {
        observeCalls(Storage.prototype, name, check, signal)
      }
      const timer = setInterval(check, pollInterval)
      signal.addEventListener('abort', () => clearInterval(timer))
    },
  }
}

type Area = 'local' | 'session'

const keysAre = "an array of keys such as ['theme', { prefix: 'draft:' }]"

function checked(area: Area, keys: StorageKeys | undefined): StorageKeys {
  const isKey = (key: StorageKeys[number]) => typeof key === 'string' || Boolean(key?.prefix)
  if (Array.isArray(keys) && keys.every(isKey)) return keys
  throw wrongOption('storage', area, keysAre, keys)
}

/** The named entries, in the order of their keys' UTF-16 code units; none in a sandbox, or if the user has disabled storage. */
function entriesOf(area: Area, named: StorageKeys): [key: string, value: string][] {
  let storage: Storage
  try {
    storage = area === 'local' ? globalThis.localStorage : globalThis.sessionStorage
  } catch {
    return []
  }
  const { prototype } = Storage // an entry may be called `length`, or `key`
  const count = Reflect.get(prototype, 'length', storage) as number
  const keys = Array.from({ length: count }, (_, i) => prototype.key.call(storage, i) ?? '')
  return keys.sort().flatMap((key) => {
    const isExact = named.includes(key)
    const isPrefixed = named.some((one) => typeof one === 'object' && key.startsWith(one.prefix))
    if (!isExact && (!isPrefixed || isSecretName(key))) return []
    const value = prototype.getItem.call(storage, key) ?? ''
    return isExact || !isSecretValue(value) ? [[key, value]] : []
  })
}

const uriOf = (area: Area, key: string) => `storage:///${area}/${nameSegment(key)}`

/** The area and the key that a URI names; undefined if it names none. */
export function entryOf(uri: string): { area: Area; key: string } | undefined {
  const [, area, segment] = /^storage:\/\/\/(local|session)\/([^\/?#]+)$/.exec(uri) ?? []
  const key = segment === undefined ? undefined : nameFromSegment(segment)
  return key === undefined ? undefined : { area: area as Area, key }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
