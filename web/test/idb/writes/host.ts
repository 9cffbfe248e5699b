/** The page that serves, with a client that keeps a copy of each resource: it reads what is said to have changed. */

import { keyOf, keysOf, openDatabase, stores } from './writer.ts'

type Package = typeof import('../../../src/index.ts')
const where = '/pagemcp/index.js'
const { idb, start } = (await import(where)) as Package

await seed()
const mcp = await start({ name: 'writes' })
const served = ['letters', 'numbers', 'things']
mcp.mount(idb({ databases: { writes: [...served, 'ends'] } }))

const text = (key: IDBValidKey) => (typeof key === 'string' ? `s.${key}` : `n.${key}`)
const records = served.flatMap((store) =>
  Array.from({ length: keysOf }, (_, n) => `idb:///writes/${store}/${text(keyOf(store, n))}`),
)
const ends = ['page', 'tab'].map((name) => `idb:///writes/ends/s.${name}`)
const others = served.flatMap((store) => [
  `idb:///writes/${store}`,
  `idb:///writes/${store}/range?limit=20`,
  `idb:///writes/${store}/index/by-kind/s.b`,
])
export const uris = [...records, ...ends, ...others, 'idb:///writes']

const port = mcp.port()
/** Everything is there at first: what is not cannot be listened to. */
async function seed() {
  const db = await openDatabase()
  const transaction = db.transaction([...stores, 'ends'], 'readwrite')
  for (const name of stores) {
    const store = transaction.objectStore(name)
    for (let n = 0; n < keysOf; n++) {
      const key = keyOf(name, n)
      if (store.keyPath) store.put({ id: key, kind: 'a' })
      else store.put({ kind: 'a' }, key)
    }
  }
  for (const name of ['page', 'tab']) {
    transaction.objectStore('ends').put({ by: 'nobody' }, name)
  }
  await new Promise((resolve) => {
    transaction.oncomplete = resolve
  })
  db.close()
}

/** How long the client waits for more of the same, so that reading does not keep the writers waiting. */
const patience = 50 // ms

interface Answer {
  result?: { contents: { text: string }[] }
  error?: { message: string }
}
const waiting = new Map<number, (message: Answer) => void>()
const abreast = 8
const dirty = new Set<string>()
const busy = new Set<string>()
const updates = new Map<string, number>()
const copies = new Map<string, unknown>()
let last = 0
let reading = 0
let settled = () => {}
let acknowledged = () => {}

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
function send(method: string, params: object): number {
  port.postMessage({ jsonrpc: '2.0', id: ++last, method, params: { ...params, _meta } })
  return last
}
port.onmessage = ({ data }) => {
  if (data.method === 'notifications/subscriptions/acknowledged') acknowledged()
  if (data.method === 'notifications/resources/updated') {
    updates.set(data.params.uri, (updates.get(data.params.uri) ?? 0) + 1)
    void refresh(data.params.uri)
  }
  waiting.get(data.id)?.(data)
}

/** Reads what is dirty, a few at a time: the engine bounds how much one client asks at once. */
async function refresh(uri: string) {
  dirty.add(uri)
  if (reading >= abreast) return
  reading++
  await new Promise((resolve) => setTimeout(resolve, patience))
  for (const next of dirty) {
    if (busy.has(next)) continue // whoever reads it comes back
    dirty.delete(next)
    busy.add(next)
    copies.set(next, await read(next))
    busy.delete(next)
  }
  reading--
  if (dirty.size > 0) void refresh([...dirty][0] as string)
  else settled()
}

/** The texts of a resource, or `gone`. */
async function read(uri: string): Promise<unknown> {
  const id = send('resources/read', { uri })
  const { result, error } = await new Promise<Answer>((resolve) => {
    waiting.set(id, resolve)
  })
  waiting.delete(id)
  if (error && error.message !== 'Resource not found') throw new Error(error.message)
  return result === undefined ? 'gone' : result.contents.map((item) => item.text)
}

const subscribed = new Promise<void>((resolve) => {
  acknowledged = resolve
})
send('subscriptions/listen', { notifications: { resourceSubscriptions: uris } })
await subscribed
for (const uri of uris) void refresh(uri)

/**
 * Waits until the copies have what each writer writes at last, and what was held back has been said: a
 * URI that was spoken of a moment ago is spoken of again with the next tick, and two writes one after the
 * other, of which the second waits for that tick, see it pass.
 */
async function quiet() {
  await copied((uri) => /by":"(page|tab)/.test(String(copies.get(uri))), ends)
  for (const fence of [1, 2]) {
    await put(fence)
    await copied((uri) => String(copies.get(uri)).includes(`"fence":${fence}`), ends.slice(0, 1))
  }
}

async function copied(done: (uri: string) => boolean, of: readonly string[]) {
  while (reading > 0 || !of.every(done)) {
    await new Promise<void>((resolve) => {
      settled = resolve
    })
  }
}

async function put(fence: number) {
  const db = await openDatabase()
  const transaction = db.transaction('ends', 'readwrite')
  transaction.objectStore('ends').put({ by: 'page', fence }, 'page')
  await new Promise((resolve) => {
    transaction.oncomplete = resolve
  })
  db.close()
}

/** URIs whose copy is not what a read answers now; how many updates came; which stores were spoken of. */
async function compare() {
  const stale: string[] = []
  for (const uri of uris) {
    if (JSON.stringify(await read(uri)) !== JSON.stringify(copies.get(uri))) stale.push(uri)
  }
  const spoken = served.filter((store) => updates.has(`idb:///writes/${store}`))
  return { stale, updates: [...updates.values()].reduce((sum, n) => sum + n, 0), spoken }
}

/** The copies of records, against what IndexedDB itself has: without any code of ours. */
async function truth() {
  const db = await openDatabase()
  const wrong: string[] = []
  for (const store of served) {
    const got = db.transaction(store).objectStore(store)
    for (let n = 0; n < keysOf; n++) {
      const key = keyOf(store, n)
      const request = got.get(key)
      await new Promise((resolve) => {
        request.onsuccess = resolve
      })
      const copy = copies.get(`idb:///writes/${store}/${text(key)}`)
      const have = copy === 'gone' ? undefined : JSON.parse((copy as string[])[0] ?? '')
      if (JSON.stringify(have) !== JSON.stringify(request.result)) wrong.push(`${store} ${n}`)
    }
  }
  db.close()
  return wrong
}

const exported = { quiet, compare, truth, stores }
export type Hosted = typeof exported
declare global {
  var hosted: Hosted
}
globalThis.hosted = exported
