import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.kit

const page = serveKit('idb/page.ts')
const notes = 'idb:///app/notes'

inBrowsers('what this page writes is announced, record by record', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async (notes) => {
    const db = await kit.open('app', { notes: {}, other: {} })
    const source = kit.idb({ databases: { app: ['notes'] } })
    const { until, seen } = kit.changes(source)
    const steps: unknown[] = []
    await kit.write(db, 'notes', (store) => store.add('a', 1))
    steps.push(await until(`${notes}/n.1`, 'list'))
    await kit.write(db, 'notes', (store) => {
      store.put('b', 's')
      store.put('c', [1, new Date(0)])
    })
    steps.push(await until(`${notes}/s.s`, 'list'))
    await kit.write(db, 'notes', (store) => {
      store.openCursor(1).onsuccess = function () {
        this.result?.update('changed')
      }
    })
    steps.push(await until(`${notes}/n.1`))
    await kit.write(db, 'notes', (store) => {
      store.openCursor('s').onsuccess = function () {
        this.result?.delete()
      }
    })
    steps.push(await until(`${notes}/s.s`, 'list'))
    await kit.write(db, 'notes', (store) => store.delete(1))
    steps.push(await until(`${notes}/n.1`, 'list'))
    await kit.write(db, 'other', (store) => store.put('x', 1))
    await kit.write(db, 'notes', (store) => store.put('last', 9))
    steps.push(await until(`${notes}/n.9`), seen)
    return steps
  }, notes)
  const array = `${notes}/a.%5B%22n.1%22%2C%22d.1970-01-01T00%3A00%3A00.000Z%22%5D`
  assert.deepEqual(got, [
    [notes, `${notes}/n.1`, 'list'],
    [notes, array, `${notes}/s.s`, 'list'],
    [notes, `${notes}/n.1`, 'list'],
    [notes, `${notes}/s.s`, 'list'],
    [notes, `${notes}/n.1`, 'list'],
    [notes, `${notes}/n.9`, 'list'],
    [],
  ])
})

inBrowsers(
  'a range that goes, or all records, stand for every record of the store',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async (notes) => {
      const db = await kit.open('app', { notes: {} })
      const { until } = kit.changes(kit.idb({ databases: { app: ['notes'] } }))
      await kit.write(db, 'notes', (store) => {
        for (let i = 0; i < 6; i++) store.put(i, i)
      })
      await until('list')
      const steps: unknown[] = []
      await kit.write(db, 'notes', (store) => store.delete(IDBKeyRange.bound(1, 2)))
      steps.push(await until('list'))
      await kit.write(db, 'notes', (store) => store.delete(IDBKeyRange.only(3)))
      steps.push(await until('list'))
      await kit.write(db, 'notes', (store) => store.clear())
      steps.push(await until('list', notes))
      return steps
    }, notes)
    const all = [notes, `${notes}/*`, 'list']
    assert.deepEqual(got, [all, [notes, `${notes}/n.3`, 'list'], all])
  },
)

inBrowsers('keys that the database makes are known', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const db = await kit.open('app', { notes: { keyPath: 'id', autoIncrement: true } })
    const { until } = kit.changes(kit.idb({ databases: { app: ['notes'] } }))
    await kit.write(db, 'notes', (store) => store.add({ title: 'no id yet' }))
    return until('list')
  })
  assert.deepEqual(got, [notes, `${notes}/n.1`, 'list'])
})

inBrowsers(
  'nothing is announced before the commit, and nothing of what was undone',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async (notes) => {
      const db = await kit.open('app', { notes: {} })
      await kit.write(db, 'notes', (store) => store.put('there', 0))
      const { seen, until } = kit.changes(kit.idb({ databases: { app: ['notes'] } }))
      await kit
        .write(db, 'notes', (store) => {
          store.put('undone', 1)
          store.clear()
          store.transaction.abort()
        })
        .catch(() => {})
      let early: number | undefined
      await kit.write(db, 'notes', (store) => {
        const refused = store.add('double', 0)
        refused.onerror = (event) => {
          event.preventDefault()
          event.stopPropagation()
        }
        store.put('done', 2).onsuccess = () => {
          early = seen.length
        }
      })
      return { early, seen: await until(`${notes}/n.2`) }
    }, notes)
    assert.deepEqual(got, { early: 0, seen: [notes, `${notes}/n.2`, 'list'] })
  },
)

inBrowsers(
  'a write under way when the first listener comes is announced to it',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async (notes) => {
      const db = await kit.open('app', { notes: {} })
      const source = kit.idb({ databases: { app: ['notes'] } })
      source.mounted?.(kit.never)
      const writing = kit.write(db, 'notes', (store) => store.put('a', 1))
      const { until } = kit.changes(source)
      await writing
      return until(`${notes}/n.1`)
    }, notes)
    assert.deepEqual(got, [notes, `${notes}/n.1`, 'list'])
  },
)

inBrowsers('upgrades and deletions of the database change the list', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async (notes) => {
    const { until } = kit.changes(kit.idb({ databases: { app: ['notes'] } }))
    const steps: unknown[] = []
    const db = await kit.open('app', { notes: {} })
    steps.push(await until('list'))
    db.close()
    await kit.drop('app')
    steps.push(await until('list', notes))
    return steps
  }, notes)
  assert.deepEqual(got, [
    [notes, `${notes}/*`, 'list'],
    [notes, `${notes}/*`, 'list'],
  ])
})

inBrowsers('a bulk write is one announcement for each record', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const db = await kit.open('app', { notes: {} })
    const { heard } = kit.changes(kit.idb({ databases: { app: ['notes'] } }))
    await kit.write(db, 'notes', (store) => {
      for (let i = 0; i < 20_000; i++) store.put(i, i % 500)
    })
    const all = await heard('list')
    return { all: all.length, list: all.filter((one) => one === 'list').length }
  })
  assert.deepEqual(got, { all: 505, list: 1 }) // the store, its ranges, its indexes, the schema, the list
})

inBrowsers('the app sees the methods that it knows', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const methods = [
      [IDBObjectStore.prototype, 'add'],
      [IDBObjectStore.prototype, 'put'],
      [IDBObjectStore.prototype, 'delete'],
      [IDBObjectStore.prototype, 'clear'],
      [IDBCursor.prototype, 'update'],
      [IDBCursor.prototype, 'delete'],
      [IDBFactory.prototype, 'open'],
      [IDBFactory.prototype, 'deleteDatabase'],
    ] as const
    const db = await kit.open('app', { notes: { keyPath: 'id' } })
    const look = () => {
      const readonly = db.transaction('notes').objectStore('notes')
      const wrong: unknown[] = [undefined, null, {}, readonly, IDBObjectStore.prototype]
      const attempt = (act: () => unknown) => {
        try {
          return Object.prototype.toString.call(act())
        } catch (error) {
          return (error as Error).name
        }
      }
      return methods.map(([prototype, name]) => {
        const { value, ...flags } = Object.getOwnPropertyDescriptor(prototype, name) ?? {}
        const calls = wrong.flatMap((self) => [
          attempt(() => Reflect.apply(value, self, [])),
          attempt(() => Reflect.apply(value, self, [{}, Symbol()])),
        ])
        const construct = attempt(() => Reflect.construct(value, []))
        return {
          name: value.name,
          length: value.length,
          own: Object.keys(value),
          proto: 'prototype' in value,
          flags,
          calls,
          construct,
        }
      })
    }
    const originals = methods.map(([prototype, name]) => Reflect.get(prototype, name))
    const before = look()
    const one = new AbortController()
    const two = new AbortController()
    kit.idb({ databases: { app: ['notes'] } }).mounted?.(one.signal)
    kit.idb({ databases: { app: ['notes'] } }).mounted?.(two.signal)
    const patched = methods.every(
      ([prototype, name], i) => Reflect.get(prototype, name) !== originals[i],
    )
    const during = look()
    one.abort()
    const still = methods.every(
      ([prototype, name], i) => Reflect.get(prototype, name) !== originals[i],
    )
    two.abort()
    const restored = methods.every(
      ([prototype, name], i) => Reflect.get(prototype, name) === originals[i],
    )
    return { before, during, patched, still, restored }
  })
  assert.deepEqual(got.during, got.before)
  assert.deepEqual([got.patched, got.still, got.restored], [true, true, true])
})

inBrowsers('writes give the app the same results, errors and events as ever', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const run = async (name: string) => {
      const db = await kit.open(name, { notes: { keyPath: 'id' } })
      const heard: string[] = []
      const transaction = db.transaction('notes', 'readwrite')
      for (const type of ['error', 'complete', 'abort'] as const) {
        transaction.addEventListener(type, ({ target }) =>
          heard.push(`${type} ${Object.prototype.toString.call(target)}`),
        )
      }
      const store = transaction.objectStore('notes')
      const getters: string[] = []
      const value = {
        get id() {
          getters.push('id')
          return 1
        },
      }
      const put = store.put(value)
      put.onsuccess = () => heard.push(`put ${put.result}`)
      try {
        store.put({ none: 1 })
      } catch (error) {
        heard.push((error as Error).name)
      }
      store.delete(IDBKeyRange.lowerBound(0))
      store.clear()
      transaction.abort()
      await new Promise((resolve) => transaction.addEventListener('abort', resolve))
      try {
        store.clear()
      } catch (error) {
        heard.push((error as Error).name)
      }
      return { heard, getters: getters.length }
    }
    const plain = await run('plain')
    kit.changes(kit.idb({ databases: { watched: ['notes'] } }))
    return { plain, watched: await run('watched') }
  })
  assert.deepEqual(got.watched, got.plain)
})
