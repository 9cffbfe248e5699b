import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.kit

const page = serveKit('idb/page.ts')

inBrowsers(
  'pages follow each other without loss or double, across stores and databases',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      const first = await kit.open('one', { a: {}, b: {}, empty: {} })
      const second = await kit.open('two', { c: { keyPath: 'id' } })
      await kit.write(first, 'a', (store) => {
        for (let i = 0; i < 7; i++) store.put(i, i)
      })
      await kit.write(first, 'b', (store) => store.put('b', 'b'))
      await kit.write(second, 'c', (store) => {
        for (let i = 0; i < 40; i++) store.put({ id: i, title: `title ${i}` })
      })
      const databases = {
        one: ['a', 'empty', 'gone', 'b'],
        none: ['x'],
        two: { c: { title: 'title' } },
      }
      const source = kit.idb({ databases })
      const walk = async (pageSize: number) => {
        const uris: string[] = []
        const sizes: number[] = []
        let cursor: string | undefined
        do {
          const listing = await source.list(cursor, { pageSize, signal: kit.never })
          uris.push(...listing.resources.map(({ uri }) => uri))
          sizes.push(listing.resources.length)
          cursor = listing.nextCursor
        } while (cursor !== undefined)
        return { uris, sizes }
      }
      const whole = await walk(1000)
      const others: unknown[] = []
      for (const size of [1, 2, 3, 7, 8, 9, 10, 11, 33, 53, 54]) {
        const { uris, sizes } = await walk(size)
        others.push([
          size,
          uris.join() === whole.uris.join(),
          sizes.slice(0, -1).every((n) => n === size),
        ])
      }
      return { whole, others }
    })
    assert.deepEqual(got.whole.sizes, [54])
    assert.deepEqual(got.whole.uris.slice(0, 4), [
      'idb:///one',
      'idb:///one/a',
      'idb:///one/a/n.0',
      'idb:///one/a/n.1',
    ])
    assert.deepEqual(got.whole.uris.slice(9, 14), [
      'idb:///one/empty',
      'idb:///one/b',
      'idb:///one/b/s.b',
      'idb:///two',
      'idb:///two/c',
    ])
    assert.deepEqual(
      got.others,
      [1, 2, 3, 7, 8, 9, 10, 11, 33, 53, 54].map((size) => [size, true, true]),
    )
  },
)

inBrowsers('a cursor outlives the record that it names', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const db = await kit.open('app', { notes: {} })
    await kit.write(db, 'notes', (store) => {
      for (let i = 0; i < 6; i++) store.put(i, i)
    })
    const list = (cursor: string | undefined) =>
      kit.idb({ databases: { app: ['notes'] } }).list(cursor, { pageSize: 4, signal: kit.never })
    const first = await list(undefined)
    await kit.write(db, 'notes', (store) => store.delete(IDBKeyRange.bound(0, 2)))
    const second = await list(first.nextCursor) // of another source: the cursor says it all
    return second.resources.map(({ uri }) => uri)
  })
  assert.deepEqual(got, ['idb:///app/notes/n.3', 'idb:///app/notes/n.4', 'idb:///app/notes/n.5'])
})

inBrowsers('a cursor that was never given out is refused', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const source = kit.idb({ databases: { app: ['notes'] } })
    const names: unknown[] = []
    for (const cursor of [
      '',
      'x',
      'idb:///app/other/n.1',
      'idb:///app/notes/1',
      'idb:///app/notes/n.01',
      'idb:///other',
      'idb:///app/notes/range',
      'idb:///app/notes/index/kind',
    ]) {
      const answer = source.list(cursor, { pageSize: 3, signal: kit.never })
      names.push(
        await answer.then(
          () => 'answered',
          (error: Error) => error.name,
        ),
      )
    }
    return names
  })
  assert.deepEqual(got, Array(8).fill('BadCursorError'))
})
