import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.kit

const page = serveKit('idb/page.ts')

/** A shop: orders by number, with an index over their state, one over words, and one over time. */
async function shop(tab: Page) {
  await tab.evaluate(async () => {
    await new Promise((resolve) => {
      const request = indexedDB.open('shop', 3)
      request.onupgradeneeded = () => {
        const orders = request.result.createObjectStore('orders', { keyPath: 'id' })
        orders.createIndex('by state', 'state')
        orders.createIndex('words', 'words', { multiEntry: true })
        orders.createIndex('place', ['town', 'state'], { unique: false })
        for (let id = 1; id <= 250; id++) {
          const state = id % 10 === 0 ? 'open' : 'sent'
          orders.put({ id, state, words: [`w${id % 3}`, 'all'], town: 'Rome', secret: `s${id}` })
        }
        request.result.createObjectStore('files').put(new Blob(['hi'], { type: 'text/plain' }), 'f')
      }
      request.onsuccess = () => {
        request.result.close()
        resolve(undefined)
      }
    })
  })
}

inBrowsers('a database says its version, and of its stores what is served', async ({ open }) => {
  const tab = await open(page.url())
  await shop(tab)
  const text = await tab.evaluate(async () => {
    const source = kit.idb({ databases: { shop: { orders: { fields: ['id', 'state'] } } } })
    const [contents] = await source.read('idb:///shop', { signal: kit.never })
    return contents?.text
  })
  const plain = { unique: false, multiEntry: false }
  assert.deepEqual(JSON.parse(text ?? ''), {
    database: 'shop',
    version: 3,
    stores: [
      {
        store: 'orders',
        path: 'orders',
        count: 250,
        keyPath: 'id',
        autoIncrement: false,
        indexes: [
          { name: 'by state', keyPath: 'state', ...plain, path: 'index/by%20state' },
          { name: 'place', keyPath: ['town', 'state'], ...plain }, // town may not be read
          { name: 'words', keyPath: 'words', unique: false, multiEntry: true },
        ],
      },
    ],
  })
})

/** Reads a range to its end, query by query: the numbers of the orders, and how many at a time. */
function walk(tab: Page, uri: string) {
  return tab.evaluate(async (uri) => {
    const source = kit.idb({ databases: { shop: ['orders'] } })
    const ids: number[] = []
    const sizes: number[] = []
    for (let next: string | undefined = uri; next !== undefined; ) {
      const [about, ...records] = await source.read(next, { signal: kit.never })
      const { next: query, records: keys } = JSON.parse(about?.text ?? '')
      sizes.push(records.length)
      for (const [i, { uri: own, text }] of records.entries()) {
        const { id } = JSON.parse(text ?? '')
        if (own !== `idb:///shop/orders/n.${id}` || keys[i].key !== `n.${id}`) throw new Error(own)
        ids.push(id)
      }
      next = query === undefined ? undefined : uri.replace(/\?.*|$/, query)
    }
    return { ids, sizes }
  }, uri)
}

inBrowsers('ranges go on where they stopped, to the end, in both directions', async ({ open }) => {
  const tab = await open(page.url())
  await shop(tab)
  const from = (first: number, last: number, step = 1) => {
    const ids: number[] = []
    for (let id = first; step > 0 ? id <= last : id >= last; id += step) ids.push(id)
    return ids
  }
  const orders = 'idb:///shop/orders'
  const sent = from(1, 250).filter((id) => id % 10 !== 0)
  const open25 = from(10, 250, 10)
  const cases: [string, number[], number[]?][] = [
    [`${orders}/range`, from(1, 250), [100, 100, 50]],
    [`${orders}/range?from=n.5&to=n.7`, [5, 6, 7]],
    [`${orders}/range?from=n.240&limit=4`, from(240, 250), [4, 4, 3]],
    [`${orders}/range?to=n.9&direction=prev&limit=2`, from(9, 1, -1), [2, 2, 2, 2, 1]],
    [`${orders}/range?after=n.248`, [249, 250]],
    [`${orders}/range?from=n.7&to=n.5`, []],
    [`${orders}/range?from=s.a`, []],
    [`${orders}/range?from=&to=&direction=&limit=`, from(1, 250)],
    [`${orders}/index/by%20state?from=s.open&to=s.open`, open25, [25]],
    [
      `${orders}/index/by%20state?from=s.open&to=s.open&limit=10&direction=prev`,
      [...open25].reverse(),
      [10, 10, 5],
    ],
    [`${orders}/index/by%20state?from=s.none&to=s.none`, []],
    [`${orders}/index/by%20state?limit=90`, [...open25, ...sent], [90, 90, 70]],
    [
      `${orders}/index/by%20state?direction=prev`,
      [...sent].reverse().concat([...open25].reverse()),
    ],
    [`${orders}/index/by%20state?from=s.p`, sent],
    [`${orders}/index/words?from=s.w0&to=s.w0`, from(3, 249, 3)],
    [
      `${orders}/index/place?from=a.%5B%22s.Rome%22%2C%22s.open%22%5D&to=a.%5B%22s.Rome%22%2C%22s.open%22%5D`,
      open25,
    ],
  ]
  for (const [uri, ids, sizes] of cases) {
    const got = await walk(tab, uri)
    assert.deepEqual(got.ids, ids, uri)
    if (sizes) assert.deepEqual(got.sizes, sizes, uri)
  }
})

inBrowsers('what is no range, or may not be sought in, is not found', async ({ open }) => {
  const tab = await open(page.url())
  await shop(tab)
  const found = await tab.evaluate(async () => {
    const orders = { fields: ['id', 'state'] }
    const source = kit.idb({ databases: { shop: { orders, files: {} } } })
    const paths = [
      'orders/index/words?from=s.w0', // not a field that may be read
      'orders/index/place',
      'orders/index/none',
      'orders/index/by%20state?from=open',
      'orders/index/by%20state/s.open',
      'orders/index/by%20state?after=n.1',
      'orders/range?limit=0',
      'orders/range?limit=x',
      'orders/range?direction=up',
      'orders/range?from=5',
      'orders/range?from=n.5&from=n.6',
      'orders/range?other=n.5',
      'orders/range/n.5',
    ]
    const answered: string[] = []
    for (const path of paths) {
      const answer = source.read(`idb:///shop/${path}`, { signal: kit.never })
      const name = await answer.then(
        () => 'answered',
        (error: Error) => error.name,
      )
      if (name !== 'NotFoundError') answered.push(`${path}: ${name}`)
    }
    const [about, blob] = await source.read('idb:///shop/files/range', { signal: kit.never })
    return {
      answered,
      about: about?.text,
      type: blob?.mimeType,
      isBlob: blob?.blob instanceof Blob,
    }
  })
  assert.deepEqual(found, {
    answered: [],
    about: '{"database":"shop","store":"files","records":[{"key":"s.f"}]}',
    type: 'text/plain',
    isBlob: true,
  })
})

inBrowsers('an answer stays within its bound, and says how to go on', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const db = await kit.open('app', { big: {} })
    await kit.write(db, 'big', (store) => {
      for (let i = 0; i < 6; i++) store.put('x'.repeat(1_500_000), i)
    })
    const source = kit.idb({ databases: { app: ['big'] } })
    const [about, ...records] = await source.read('idb:///app/big/range', { signal: kit.never })
    return { records: records.length, next: JSON.parse(about?.text ?? '').next }
  })
  assert.deepEqual(got, { records: 2, next: '?after=n.1' })
})

inBrowsers('databases, stores and keys are completed', async ({ open }) => {
  const tab = await open(page.url())
  await shop(tab)
  const got = await tab.evaluate(async () => {
    const source = kit.idb({ databases: { shop: ['orders', 'files'], absent: ['x'] } })
    const complete = async (uri: string, name: string, value = '', args = {}) => {
      const context = { arguments: args, signal: kit.never }
      const ref = { type: 'ref/resource', uri } as const
      const answer = source.complete?.(ref, { name, value }, context) ?? Promise.resolve([])
      const found = await answer.catch((error: Error) => [error.name])
      return 'hasMore' in found ? [...found.values.slice(0, 3), found.hasMore] : found
    }
    const generic = 'idb:///{database}/{store}'
    const chosen = { database: 'shop', store: 'orders' }
    return [
      await complete('idb:///{database}', 'database', 'h'),
      await complete(generic, 'store', 'O'),
      await complete(`${generic}/{key}`, 'key', '', chosen),
      await complete('idb:///shop/orders/{key}', 'key', 'n.25'),
      await complete('idb:///shop/orders/{key}', 'key', '250'),
      await complete(`${generic}/{key}`, 'key', '', { database: 'shop', store: 'none' }),
      await complete('idb:///absent/x/{key}', 'key'),
      await complete(`${generic}/range{?from,to}`, 'from', '', chosen),
      await complete('idb:///other/{store}', 'store'),
      await complete('notes://{x}', 'x'),
    ]
  })
  assert.deepEqual(got, [
    ['shop'],
    ['orders'],
    ['n.1', 'n.2', 'n.3', false],
    ['n.25', 'n.250', 'n.125', false],
    ['n.250', false],
    [],
    [],
    [],
    ['NotFoundError'],
    ['NotFoundError'],
  ])
})
