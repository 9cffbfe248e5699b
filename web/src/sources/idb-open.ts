/**
 * Connections to databases of the web app. They never create a database, never block an upgrade, and write
 * nothing.
 */

import { fromBase64Url, toBase64Url } from '../contents.ts'
import { underLock } from '../database.ts'
import { observeCalls } from './wrap.ts'

/** The timeout of opening a database: an upgrade of the app may be running. */
const openLimit = 5000 // ms

/** The database could not be opened in time: the app upgrades, deletes or blocks it. */
export class DatabaseBusyError extends Error {
  override readonly name = 'DatabaseBusyError'

  constructor(database: string) {
    super(
      `open database ${JSON.stringify(database)}: still busy after ${openLimit} ms. Close other tabs of this site, or restart the browser`,
    )
  }
}

/** How often a read restarts when upgrades of the app interrupt it. */
const maxTries = 20

/** Reads databases of the app, each time in one readonly transaction. */
export interface Reader {
  /**
   * Returns the result of `ask` for those of some stores that exist, or `undefined` if there is none. Calls
   * `ask` again if the connection closes meanwhile.
   *
   * @param ask - must await only requests of the stores' transaction, which ends otherwise
   * @throws {@link DatabaseBusyError}, the signal's reason, or a `DOMException` of IndexedDB
   */
  read<T>(
    at: { database: string; stores: readonly string[] },
    signal: AbortSignal,
    ask: (stores: IDBObjectStore[], database: IDBDatabase) => Promise<T>,
  ): Promise<T | undefined>
  /** Keeps connections open from one read to the next until the signal is aborted. Later reads close theirs. */
  keepOpen(signal: AbortSignal): void
}

interface Connection {
  db: IDBDatabase
  /** What reads there now. */
  running: Set<IDBTransaction>
}

/**
 * A reader that keeps a connection to each database that it has read. The connection closes when the app
 * upgrades or deletes the database, or the browser closes it, and is opened again for the next read. A
 * running read does not block the upgrade: its transaction is aborted, and it restarts after the upgrade.
 */
export function reader(): Reader {
  const connections = new Map<string, Promise<Connection | undefined>>()
  let keeps = true

  function connect(database: string): Promise<Connection | undefined> {
    const known = connections.get(database)
    if (known !== undefined) return known
    const opening = openExisting(database, () => forget(database, opening))
    connections.set(database, opening)
    return opening
  }

  function forget(database: string, opening: Promise<Connection | undefined>) {
    if (connections.get(database) === opening) connections.delete(database)
  }

  /** Forgets a connection that is not open, and closes one that nothing needs. */
  async function release(database: string, opening: Promise<Connection | undefined>) {
    const connection = await opening.catch(() => undefined)
    if (connection && (keeps || connection.running.size > 0)) return
    forget(database, opening)
    connection?.db.close()
  }

  return {
    keepOpen(signal) {
      keeps = !signal.aborted
      const stop = () => {
        keeps = false
        for (const [database, opening] of connections) void release(database, opening)
      }
      signal.addEventListener('abort', stop, { once: true })
    },
    async read({ database, stores }, signal, ask) {
      let isLost = false
      for (let left = maxTries; ; left--) {
        signal.throwIfAborted()
        const opening = connect(database)
        let connection: Connection | undefined
        try {
          connection = await untilAborted(opening, signal)
          const there = stores.filter((store) => connection?.db.objectStoreNames.contains(store))
          if (connection === undefined || there.length === 0) return undefined
          return await transact(connection, there, signal, ask)
        } catch (error) {
          signal.throwIfAborted()
          const name = error instanceof DOMException ? error.name : ''
          const isClosed = connection && (name === 'InvalidStateError' || name === 'AbortError')
          // Safari says no more of a connection that it has ended; if it says so again, the database is broken.
          const isFirstLoss: boolean = name === 'UnknownError' && !isLost
          isLost ||= isFirstLoss
          if (left === 0 || !(isClosed || isFirstLoss)) throw error
          forget(database, opening)
          connection?.db.close()
        } finally {
          void release(database, opening)
        }
      }
    },
  }
}

async function transact<T>(
  { db, running }: Connection,
  stores: string[],
  signal: AbortSignal,
  ask: (stores: IDBObjectStore[], database: IDBDatabase) => Promise<T>,
): Promise<T> {
  const transaction = db.transaction(stores, 'readonly')
  running.add(transaction)
  const stop = () => abort(transaction)
  signal.addEventListener('abort', stop)
  try {
    return await ask(
      stores.map((store) => transaction.objectStore(store)),
      db,
    )
  } catch (error) {
    stop()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    running.delete(transaction)
  }
}

function abort(transaction: IDBTransaction) {
  try {
    transaction.abort()
  } catch {
    // it has ended by itself
  }
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/**
 * Opens a database in its present version, or returns `undefined` if it does not exist.
 *
 * @param closed - called once when the connection has closed
 */
async function openExisting(name: string, closed: () => void): Promise<Connection | undefined> {
  const databases = await indexedDB.databases()
  if (!databases.some((database) => database.name === name)) return undefined
  const open = (over: AbortSignal) =>
    new Promise<Connection | undefined>((resolve, reject) => {
      const request = indexedDB.open(name)
      let gone = false
      request.onupgradeneeded = () => {
        gone = true // deleted since we looked; an upgrade that aborts leaves no database behind
        request.transaction?.abort()
      }
      request.onsuccess = () => {
        const db = request.result
        const running = new Set<IDBTransaction>()
        db.onversionchange = () => {
          for (const transaction of running) abort(transaction) // a close waits for them
          db.close()
          closed()
        }
        db.onclose = closed
        if (over.aborted) db.close()
        resolve({ db, running })
      }
      request.onerror = (event) => {
        event.preventDefault()
        if (gone) resolve(undefined)
        else reject(request.error)
      }
    })
  try {
    return await underLock(name, openLimit, open)
  } catch (error) {
    if ((error as DOMException).name === 'TimeoutError') throw new DatabaseBusyError(name)
    throw error
  }
}

// Observes writes into IndexedDB, with any library: of this window, and of other tabs and frames of the origin that
// do the same. IndexedDB has no events, so the methods that write are wrapped, and the writes of a transaction are
// reported after it has committed.
//
// Tabs tell each other by messages, which name database, store and keys, never values. Any script of the origin can send
// one; its only effect is that clients read again.

/** The writes of one transaction to one store, or to a whole database. */
export interface Written {
  readonly database: string
  /** undefined: the database was upgraded or deleted. */
  readonly store?: string | undefined
  /** Path segments of the keys of added, changed and deleted records; undefined: of any record. */
  readonly keys?: readonly string[] | undefined
}

/** The most keys in one report; more become "any record of the store". */
const maxKeys = 1000 // keys

/** The name of the BroadcastChannel. */
const channelName = 'io.github.pagemcp/idb'

/** What is to be observed, and who is told. */
export interface Observer {
  /** Whether writes into this store, or an upgrade of this database, matter. */
  concerns(database: string, store?: string): boolean
  /** A write of this window, or of another tab. */
  written(written: Written): void
  /** The page was frozen: messages of others may have been missed. */
  missed(): void
}

/** The keys that a transaction has written into a store. */
type Keys = Set<string> | 'any'

/** Reports writes until the signal is aborted. */
export function observeWrites(observer: Observer, signal: AbortSignal): void {
  if (typeof IDBObjectStore === 'undefined' || signal.aborted) return
  const post = tellOthers(observer, signal)
  const report = (written: Written) => {
    if (signal.aborted) return
    observer.written(written)
    post(written)
  }
  const transactions = new WeakMap<IDBTransaction, Map<string, Keys>>()

  /** Notes keys, of which `undefined` stands for any, until the transaction of a store has committed. */
  function note({ transaction, name }: IDBObjectStore, key: IDBValidKey | undefined) {
    const database = transaction.db.name
    if (!observer.concerns(database, name)) return
    const stores = transactions.get(transaction) ?? new Map<string, Keys>()
    if (stores.size === 0) {
      transactions.set(transaction, stores)
      transaction.addEventListener('complete', () => {
        for (const [store, keys] of stores) {
          report({ database, store, keys: keys === 'any' ? undefined : [...keys] })
        }
      })
    }
    const keys = stores.get(name) ?? new Set()
    if (keys !== 'any' && key !== undefined) keys.add(keySegment(key))
    const isMany = keys === 'any' || key === undefined || keys.size > maxKeys
    stores.set(name, isMany ? 'any' : keys)
  }
  const noteResult = (store: IDBObjectStore, request: IDBRequest<IDBValidKey>) => {
    if (!observer.concerns(store.transaction.db.name, store.name)) return
    request.addEventListener('success', () => note(store, request.result))
  }
  /** The keys of a range are not read, since that would be a request in the app's transaction. */
  const noteQuery = (store: IDBObjectStore, [query]: unknown[]) => {
    const { lower, upper } = query instanceof IDBKeyRange ? query : IDBKeyRange.only(query)
    const isOne = lower !== undefined && upper !== undefined && indexedDB.cmp(lower, upper) === 0
    note(store, isOne ? lower : undefined)
  }
  const upgraded = (database: string) => observer.concerns(database) && report({ database })

  const { prototype: store } = IDBObjectStore
  const { prototype: cursor } = IDBCursor
  const { prototype: factory } = IDBFactory
  observeCalls(store, 'add', (self, _, request) => noteResult(self, request), signal)
  observeCalls(store, 'put', (self, _, request) => noteResult(self, request), signal)
  observeCalls(store, 'delete', noteQuery, signal)
  observeCalls(store, 'clear', (self) => note(self, undefined), signal)
  observeCalls(cursor, 'update', (self, _, request) => noteResult(storeOf(self), request), signal)
  observeCalls(cursor, 'delete', (self) => note(storeOf(self), self.primaryKey), signal)
  const opened = (_: IDBFactory, [name]: unknown[], request: IDBOpenDBRequest) =>
    request.addEventListener('upgradeneeded', () => {
      request.transaction?.addEventListener('complete', () => upgraded(String(name)))
    })
  const dropped = (_: IDBFactory, [name]: unknown[], request: IDBOpenDBRequest) =>
    request.addEventListener('success', () => upgraded(String(name)))
  observeCalls(factory, 'open', opened, signal)
  observeCalls(factory, 'deleteDatabase', dropped, signal)
}

function storeOf(cursor: IDBCursor): IDBObjectStore {
  return cursor.source instanceof IDBIndex ? cursor.source.objectStore : cursor.source
}

/**
 * Exchanges messages with other tabs. Browsers evict a frozen page (bfcache) when its open channel gets a message: so
 * the channel is closed when the page freezes, and opened again when the page returns.
 */
function tellOthers({ written, missed }: Observer, signal: AbortSignal) {
  if (typeof BroadcastChannel === 'undefined') return () => {}
  let channel: BroadcastChannel | undefined
  const open = () => {
    channel = new BroadcastChannel(channelName)
    channel.onmessage = ({ data }) => isWritten(data) && written(data)
  }
  const close = () => {
    channel?.close()
    channel = undefined
  }
  globalThis.addEventListener?.('pagehide', close, { signal })
  const back = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return
    open()
    missed()
  }
  globalThis.addEventListener?.('pageshow', back, { signal })
  signal.addEventListener('abort', close, { once: true })
  open()
  return (message: Written) => channel?.postMessage(message)
}

function isWritten(data: unknown): data is Written {
  const { database, store, keys } = (data ?? {}) as Partial<Written>
  const areKeys =
    Array.isArray(keys) && keys.length <= maxKeys && keys.every((key) => typeof key === 'string')
  return (
    typeof database === 'string' &&
    (store === undefined || typeof store === 'string') &&
    (keys === undefined || areKeys)
  )
}

// IndexedDB keys and names in URIs.
//
// A key is written as a tag, a dot, and its text, so that `1`, `'1'`, a Date, bytes and `[1]` are
// five different URIs:
//
// | tag | key | text |
// |---|---|---|
// | `n.` | number | as JavaScript prints it: `1`, `-1.5`, `1e+21`, `-Infinity`; `-0` is the key `0`, as in `indexedDB.cmp` |
// | `s.` | string | the string itself |
// | `u.` | string with lone surrogates, which UTF-8 cannot encode | four hexadecimal digits for each UTF-16 code unit |
// | `d.` | Date | ISO 8601 in UTC, with milliseconds |
// | `b.` | ArrayBuffer or view | base64url without padding (RFC 4648 §5) |
// | `a.` | array | JSON: an array of key texts, nested arrays as arrays |
//
// In a URI the text is one path segment in which all but RFC 3986's unreserved characters are
// percent-encoded, as RFC 6570 expands `{key}`. Clients that decode a URI and encode it again lose the difference
// between `%2F` and `/`, and between `%25` and `%`; so texts and names have {@link escapeText}'s escapes for what
// does not survive that. The texts without them are still read. A key has exactly one text: `keyFromText`
// rejects `n.01`. `testdata/uris.json` has the cases.

/** How deep array keys may nest: the most that Chromium stores; Firefox stores fewer. */
const maxKeyDepth = 2000 // levels

type KeyJson = string | KeyJson[]

/** What follows `~` in an escape is the place here. Go's identityOf has the same. */
const escaped = '~/%&\t\n\r\\?#'

/**
 * Replaces by `~0` to `~9`, as in JSON Pointer, what does not survive VS Code, the URL class of browsers, or a template
 * with `{+path}`: `~`, `/`, `%`, `&`, tab, line feed, carriage return, backslash, `?` and `#`.
 */
export function escapeText(text: string): string {
  return text.replace(/[~\/%&\t\n\r\\?#]/g, (c) => `~${escaped.indexOf(c)}`)
}

/** The text of an escaped one. */
export function unescapeText(text: string): string {
  return text.replace(/~([0-9])/g, (_, place) => escaped[place] as string)
}

/**
 * Percent-encodes all but the unreserved characters of RFC 3986, as RFC 6570 does for `{name}`.
 *
 * @throws URIError if text has lone surrogates
 */
export function segment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * The path segment of a database's or store's name. Names that a path cannot carry (empty, dot
 * segments, lone surrogates) and those that begin with an escape become `~` and four hexadecimal digits
 * for each UTF-16 code unit.
 */
export function nameSegment(name: string): string {
  const text = escapeText(name)
  const plain =
    name !== '' && name !== '.' && name !== '..' && !text.startsWith('~') && name.isWellFormed()
  return plain ? segment(text) : `~${toHex(name)}`
}

/** The name that a path segment stands for, in any percent-encoding; `undefined`: none. */
export function nameFromSegment(encoded: string): string | undefined {
  try {
    const text = decodeURIComponent(encoded)
    if (!text.startsWith('~')) return unescapeText(text) || undefined
    const name = fromHex(text.slice(1))
    return nameSegment(name) === text ? name : undefined
  } catch {
    return undefined // not UTF-8
  }
}

/** The path segment of a key. Equal keys, and only they, have equal segments. */
export function keySegment(key: IDBValidKey): string {
  return segment(keyText(key))
}

/**
 * The key that a path segment names, or undefined if there is none. Any percent-encoding of the
 * key's text is accepted.
 */
export function keyFromSegment(encoded: string): IDBValidKey | undefined {
  try {
    return keyFromText(decodeURIComponent(encoded))
  } catch {
    return undefined // not UTF-8
  }
}

/** The tagged text of a key. */
export function keyText(key: IDBValidKey): string {
  return escapeText(taggedText(key))
}

function taggedText(key: IDBValidKey): string {
  return Array.isArray(key) ? `a.${JSON.stringify(key.map(keyJson))}` : scalarText(key)
}

/** The key of a tagged text, or undefined if it is not exactly what {@link keyText} writes, but for escapes. */
export function keyFromText(escaped: string): IDBValidKey | undefined {
  const text = unescapeText(escaped)
  let key: IDBValidKey | undefined
  try {
    key = text.startsWith('a.') ? arrayKey(JSON.parse(text.slice(2)), maxKeyDepth) : scalarKey(text)
  } catch {
    return undefined
  }
  return key !== undefined && taggedText(key) === text ? key : undefined
}

/** The name of a record without a label: the text of its key without the tag. */
export function keyLabel(key: IDBValidKey): string {
  if (Array.isArray(key)) return `[${key.map(keyLabel).join(', ')}]`
  return typeof key === 'string' ? key.toWellFormed() : scalarText(key).slice(2)
}

function keyJson(key: IDBValidKey): KeyJson {
  return Array.isArray(key) ? key.map(keyJson) : scalarText(key)
}

function arrayKey(json: unknown, depth: number): IDBValidKey[] {
  if (!Array.isArray(json) || depth === 0) throw new TypeError('not an array of key texts')
  return json.map((element) => {
    if (typeof element !== 'string') return arrayKey(element, depth - 1)
    const key = scalarKey(element)
    if (key === undefined) throw new TypeError('not a key text')
    return key
  })
}

function scalarText(key: Exclude<IDBValidKey, IDBValidKey[]>): string {
  if (typeof key === 'number') return `n.${key}` // -0 prints as 0
  if (typeof key === 'string') return key.isWellFormed() ? `s.${key}` : `u.${toHex(key)}`
  if (key instanceof Date) return `d.${key.toISOString()}`
  return `b.${toBase64Url(bytesOf(key))}`
}

function scalarKey(text: string): IDBValidKey | undefined {
  const rest = text.slice(2)
  switch (text.slice(0, 2)) {
    case 'n.': {
      const number = Number(rest)
      return Number.isNaN(number) ? undefined : number
    }
    case 's.':
      return rest
    case 'u.':
      return fromHex(rest)
    case 'd.': {
      const date = new Date(rest)
      return Number.isNaN(date.getTime()) ? undefined : date
    }
    case 'b.':
      return fromBase64Url(rest).buffer
    default:
      return undefined
  }
}

function toHex(text: string): string {
  let hex = ''
  for (let i = 0; i < text.length; i++) hex += text.charCodeAt(i).toString(16).padStart(4, '0')
  return hex
}

function fromHex(hex: string): string {
  const units = hex.match(/[0-9a-f]{4}/g) ?? []
  return units.map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join('')
}

/** The bytes of a buffer or of the part of it that a view shows; nothing is copied. */
export function bytesOf(data: BufferSource): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(data)) return new Uint8Array(data)
  return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength)
}
