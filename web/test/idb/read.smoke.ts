import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type { UriTable } from './key-cases.ts'
import type {} from './page.ts' // declares globalThis.kit

const page = serveKit('idb/page.ts')
const table: UriTable = JSON.parse(
  readFileSync(new URL('../../../testdata/uris.json', import.meta.url), 'utf8'),
)

inBrowsers(
  'nothing is listed of a database that does not exist, and none is made',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      const source = kit.idb({ databases: { absent: ['notes'] } })
      const listing = await source.list(undefined, { pageSize: 10, signal: kit.never })
      const read = (uri: string) =>
        source.read(uri, { signal: kit.never }).catch((error: Error) => error.name)
      const errors = [await read('idb:///absent/notes'), await read('idb:///absent/notes/n.1')]
      return { listing, errors, databases: await indexedDB.databases() }
    })
    assert.deepEqual(got, {
      listing: { resources: [] },
      errors: ['NotFoundError', 'NotFoundError'],
      databases: [],
    })
  },
)

inBrowsers('only the stores that are named are served', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const db = await kit.open('app', { notes: {}, secrets: {} })
    await kit.write(db, 'notes', (store) => store.put('open', 1))
    await kit.write(db, 'secrets', (store) => store.put('CANARY', 1))
    const source = kit.idb({ databases: { app: ['notes', 'missing'] } })
    const listing = await source.list(undefined, { pageSize: 10, signal: kit.never })
    const read = (uri: string) =>
      source.read(uri, { signal: kit.never }).catch((error: Error) => error.name)
    const errors: unknown[] = []
    for (const uri of [
      'secrets',
      'secrets/n.1',
      'missing',
      'missing/n.1',
      'notes/',
      'notes/index',
      'notes/index/none',
      'notes/index/',
      'notes/range/',
      'notes/n.1?limit=1',
      'notes/n.1/',
      'notes/n.2',
      'notes/s.1',
    ]) {
      errors.push(await read(`idb:///app/${uri}`))
    }
    const templates = await source.templates?.()
    return {
      uris: listing.resources.map(({ uri }) => uri),
      errors,
      templates: templates?.map((t) => t.uriTemplate),
    }
  })
  assert.deepEqual(got.uris, ['idb:///app', 'idb:///app/notes', 'idb:///app/notes/n.1'])
  assert.deepEqual(new Set(got.errors), new Set(['NotFoundError']))
  assert.deepEqual(got.templates, [
    'idb:///app/notes/{key}',
    'idb:///app/missing/{key}',
    'idb:///{database}',
    'idb:///{database}/{store}',
    'idb:///{database}/{store}/{key}',
    'idb:///{database}/{store}/range{?from,to,after,direction,limit}',
    'idb:///{database}/{store}/index/{index}{?from,to,after,direction,limit}',
  ])
})

inBrowsers('a store says what it holds', async ({ open }) => {
  const tab = await open(page.url())
  const [contents] = await tab.evaluate(async () => {
    const db = await kit.open('app', { notes: { keyPath: ['a', 'b'], autoIncrement: false } })
    await kit.write(db, 'notes', (store) => store.put({ a: 1, b: 2 }))
    return kit
      .idb({ databases: { app: ['notes'] } })
      .read('idb:///app/notes', { signal: kit.never })
  })
  assert.equal(contents?.mimeType, 'application/json')
  assert.deepEqual(JSON.parse(contents?.text ?? ''), {
    database: 'app',
    store: 'notes',
    path: 'notes',
    count: 1,
    keyPath: ['a', 'b'],
    autoIncrement: false,
    indexes: [],
  })
})

inBrowsers(
  'every key is listed under its own URI, in key order, and readable by it',
  async ({ open }) => {
    const tab = await open(page.url())
    const keys = table.keys.filter(
      ({ key }) => !('number' in key && key.number === '9007199254740993'),
    )
    const got = await tab.evaluate(async (cases) => {
      const db = await kit.open('app', { keys: {} })
      await kit.write(db, 'keys', (store) => {
        for (const { key, text } of cases) store.put(text, kit.makeKey(key))
      })
      const source = kit.idb({ databases: { app: ['keys'] } })
      const { resources } = await source.list(undefined, { pageSize: 1000, signal: kit.never })
      const texts: unknown[] = []
      for (const { uri } of resources.slice(2)) {
        const [contents] = await source.read(uri, { signal: kit.never })
        texts.push(JSON.parse(contents?.text ?? ''))
      }
      const sorted = [...cases].sort((a, b) =>
        indexedDB.cmp(kit.makeKey(a.key), kit.makeKey(b.key)),
      )
      return { uris: resources.slice(2).map(({ uri }) => uri), texts, sorted }
    }, keys)
    assert.deepEqual(
      got.uris,
      got.sorted.map(({ segment }) => `idb:///app/keys/${segment}`),
    )
    assert.deepEqual(
      got.texts,
      got.sorted.map(({ text }) => text),
    )
  },
)

inBrowsers('falsy values and undefined are records like any other', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const values = [0, '', false, null, undefined, -0, Number.NaN]
    const db = await kit.open('app', { values: {} })
    await kit.write(db, 'values', (store) =>
      values.forEach((value, key) => void store.put(value, key)),
    )
    const source = kit.idb({ databases: { app: ['values'] } })
    const texts: unknown[] = []
    for (const key of values.keys()) {
      const [contents] = await source.read(`idb:///app/values/n.${key}`, { signal: kit.never })
      texts.push(contents?.text)
    }
    return texts
  })
  assert.deepEqual(got, [
    '0',
    '""',
    'false',
    'null',
    '{"$undefined":true}',
    '{"$number":"-0"}',
    '{"$number":"NaN"}',
  ])
})

inBrowsers('values that only browsers have are described', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const db = await kit.open('app', { values: {} })
    const algorithm = { name: 'HMAC', hash: 'SHA-256', length: 256 }
    const key = await crypto.subtle.generateKey(algorithm, true, ['sign'])
    const image = new ImageData(new Uint8ClampedArray([1, 2, 3, 255]), 1, 1)
    const file = new File(['hi'], 'a.txt', { type: 'text/plain', lastModified: 7 })
    const cycle: { self?: unknown; big: bigint } = { big: 1n }
    cycle.self = cycle
    const record = {
      key,
      image,
      file,
      rect: new DOMRect(1, 2, 3, 4),
      error: new DOMException('no', 'DataError'),
      cycle,
    }
    await kit.write(db, 'values', (store) => store.put(record, 1))
    const source = kit.idb({ databases: { app: ['values'] } })
    const [contents] = await source.read('idb:///app/values/n.1', { signal: kit.never })
    return { json: JSON.parse(contents?.text ?? ''), meta: contents?._meta }
  })
  assert.deepEqual(got.json, {
    key: { $object: 'CryptoKey' },
    image: { $object: 'ImageData' },
    file: { $blob: 'aGk=', type: 'text/plain', size: 2, name: 'a.txt', lastModified: 7 },
    rect: { $object: 'DOMRect' },
    error: { $error: { name: 'DataError', message: 'no' } },
    cycle: { big: { $bigint: '1' }, self: { $ref: '/cycle' } },
  })
  assert.deepEqual(got.meta?.['io.github.pagemcp/lossy'], ['/key', '/image', '/rect', '/error'])
})

inBrowsers('a record that is bytes is served as bytes', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const db = await kit.open('app', { files: {} })
    await kit.write(db, 'files', (store) => {
      store.put(new Blob(['png!'], { type: 'image/png' }), 'blob')
      store.put(new Uint8Array([1, 2, 3, 4]).subarray(1, 3), 'view')
      store.put(new Uint8Array([5]).buffer, 'buffer')
    })
    const source = kit.idb({ databases: { app: { files: { title: 'none' } } } })
    const { resources } = await source.list(undefined, { pageSize: 10, signal: kit.never })
    const bytes: unknown[] = []
    for (const { uri } of resources.slice(2)) {
      const [contents] = await source.read(uri, { signal: kit.never })
      const found = [...new Uint8Array(await new Response(contents?.blob).arrayBuffer())]
      bytes.push([contents?.mimeType, contents?.text, found])
    }
    return {
      bytes,
      listed: resources.slice(2).map(({ name, mimeType, size }) => ({ name, mimeType, size })),
    }
  })
  const other = 'application/octet-stream'
  assert.deepEqual(got.listed, [
    { name: 'blob', mimeType: 'image/png', size: 4 },
    { name: 'buffer', mimeType: other, size: 1 },
    { name: 'view', mimeType: other, size: 2 },
  ])
  assert.deepEqual(
    JSON.stringify(got.bytes),
    JSON.stringify([
      ['image/png', undefined, [112, 110, 103, 33]],
      [other, undefined, [5]],
      [other, undefined, [2, 3]],
    ]),
  )
})

inBrowsers('fields narrow what is read, and name what is listed', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const db = await kit.open('app', { notes: { keyPath: 'id' } })
    await kit.write(db, 'notes', (store) => {
      store.put({ id: 1, heading: 'First', kind: 'memo', body: 'text', secret: 'CANARY' })
      store.put({ id: 2, secret: 'CANARY' })
    })
    await kit.write(await kit.open('raw', { files: {} }), 'files', (store) =>
      store.put(new Blob(['CANARY']), 1),
    )
    const source = kit.idb({
      databases: {
        app: {
          notes: { name: 'kind', title: 'heading', description: 'body', fields: ['id', 'body'] },
        },
        raw: { files: { fields: ['size', 'text'] } },
      },
    })
    const listing = await source.list(undefined, { pageSize: 10, signal: kit.never })
    const uris = ['idb:///app/notes/n.1', 'idb:///app/notes/n.2', 'idb:///raw/files/n.1']
    const contents = await Promise.all(uris.map((uri) => source.read(uri, { signal: kit.never })))
    return { resources: JSON.parse(JSON.stringify(listing.resources)), contents: contents.flat() }
  })
  assert.deepEqual(got.resources.slice(2, 4), [
    {
      uri: 'idb:///app/notes/n.1',
      name: 'memo',
      title: 'First',
      description: 'text',
      mimeType: 'application/json',
    },
    { uri: 'idb:///app/notes/n.2', name: '2', mimeType: 'application/json' },
  ])
  assert.deepEqual(
    got.contents.map(({ text }) => text),
    ['{"id":1,"body":"text"}', '{"id":2}', '{}'],
  )
  assert.deepEqual(got.contents[2]?._meta?.['io.github.pagemcp/lossy'], [''])
  assert.ok(!JSON.stringify(got).includes('CANARY'))
})

inBrowsers('a read ends when its signal does', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const db = await kit.open('app', { notes: {} })
    await kit.write(db, 'notes', (store) => store.put('x', 1))
    const source = kit.idb({ databases: { app: ['notes'] } })
    const reason = new Error('enough')
    const before = source.read('idb:///app/notes/n.1', { signal: AbortSignal.abort(reason) })
    const controller = new AbortController()
    const during = source.list(undefined, { pageSize: 10, signal: controller.signal })
    controller.abort(reason)
    const ends = await Promise.allSettled([before, during])
    const after = await source.read('idb:///app/notes/n.1', { signal: kit.never })
    return {
      ends: ends.map((end) => end.status === 'rejected' && end.reason === reason),
      after: after[0]?.text,
    }
  })
  assert.deepEqual(got, { ends: [true, true], after: '"x"' })
})

inBrowsers('a sandboxed page without storage gets a typed error', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const frame = document.createElement('iframe')
    frame.sandbox.add('allow-scripts')
    const lines = [
      `const { idb } = await import('${location.origin}/src/sources/idb.ts')`,
      `const source = idb({ databases: { app: ['notes'] } })`,
      'const { signal } = new AbortController()',
      `source.list(undefined, { pageSize: 1, signal }).catch((error) => parent.postMessage(error.name, '*'))`,
    ]
    const answer = new Promise((resolve) =>
      addEventListener('message', (event) => resolve(event.data)),
    )
    frame.srcdoc = `<script type="module">${lines.join('\n')}</script>`
    document.body.append(frame)
    return answer
  })
  assert.equal(got, 'SecurityError')
})
