import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.fileKit

const page = serveKit('opfs/page.ts')

inBrowsers(
  'files that come, change and go are announced, whoever does it',
  async ({ open, name }) => {
    const tab = await open(page.url())
    const other = await open(page.url())
    await tab.bringToFront() // a hidden page looks less often
    assert.equal(
      await tab.evaluate(() => 'FileSystemObserver' in globalThis),
      name === 'chromium',
      'where there is a FileSystemObserver',
    )
    await tab.evaluate(async () => {
      await fileKit.write({ '/docs/a.txt': 'a', '/docs/sub/x.md': 'x', '/other/o.txt': 'o' })
      const source = fileKit.opfs({ paths: ['/docs', '/later'], poll: 250 })
      const watched = fileKit.changes(source)
      Object.assign(globalThis, { watched })
      await watched.until('opfs:///docs') // it is looking
      await new Promise<void>((resolve) => setTimeout(resolve)) // all of what it says then
      watched.seen.splice(0)
    })
    type Watched = {
      watched: { until(...wanted: string[]): Promise<string[]>; seen: string[]; stop(): void }
    }
    const until = (...wanted: string[]) =>
      tab.evaluate((wanted) => (globalThis as never as Watched).watched.until(...wanted), wanted)

    for (const [who, where] of [
      [tab, 'here'],
      [other, 'there'],
    ] as const) {
      await who.evaluate((where) => fileKit.write({ [`/docs/${where}.txt`]: '1' }), where)
      await until('list', 'opfs:///docs', `opfs:///docs/${where}.txt`)
      await who.evaluate((where) => fileKit.write({ [`/docs/${where}.txt`]: 'longer' }), where)
      await until('opfs:///docs', `opfs:///docs/${where}.txt`)
      await who.evaluate(
        (where) => fileKit.write({ [`/docs/sub/${where}/deep.md`]: 'deep' }),
        where,
      )
      await until('list', `opfs:///docs/sub/${where}`, `opfs:///docs/sub/${where}/deep.md`)
      await who.evaluate((where) => fileKit.remove(`/docs/${where}.txt`), where)
      await until('list', 'opfs:///docs', `opfs:///docs/${where}.txt`)
      await who.evaluate((where) => fileKit.remove(`/docs/sub/${where}`), where)
      await until('list', `opfs:///docs/sub/${where}`)
    }

    // A directory that was not there, and goes with all that is in it.
    await other.evaluate(() => fileKit.write({ '/later/l.txt': 'l' }))
    await until('list', 'opfs:///later', 'opfs:///later/l.txt')
    await other.evaluate(() => fileKit.remove('/later'))
    await until('list', 'opfs:///later')

    // Of what is not served nothing is said.
    await other.evaluate(() => fileKit.write({ '/other/new.txt': 'n', '/docs/last.txt': 'l' }))
    const last = await until('opfs:///docs/last.txt')
    assert.ok(
      last.every((one) => one === 'list' || /^opfs:\/\/\/(docs|later)/.test(one)),
      String(last),
    )
  },
)

inBrowsers('a Worker’s writes are announced', async ({ open }) => {
  const tab = await open(page.url())
  const told = await tab.evaluate(async () => {
    await fileKit.write({ '/docs/a.txt': 'a' })
    const { until } = fileKit.changes(fileKit.opfs({ paths: ['/docs'], poll: 250 }))
    await until('opfs:///docs')
    const code = `onmessage = async () => {
      const root = await navigator.storage.getDirectory()
      const docs = await root.getDirectoryHandle('docs')
      const access = await (await docs.getFileHandle('w.bin', { create: true })).createSyncAccessHandle()
      access.write(new Uint8Array([1, 2, 3]))
      access.flush()
      access.close()
    }`
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })))
    worker.postMessage(0)
    return until('opfs:///docs', 'opfs:///docs/w.bin', 'list')
  })
  assert.ok(told.includes('opfs:///docs/w.bin'))
})

inBrowsers('nobody looks when nobody watches, or nobody wants it', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const real = navigator.storage.getDirectory.bind(navigator.storage)
    let looks = 0
    navigator.storage.getDirectory = () => {
      looks++
      return real()
    }
    Object.assign(globalThis, { FileSystemObserver: undefined })
    await fileKit.write({ '/docs/a.txt': 'a' })
    looks = 0
    const source = fileKit.opfs({ paths: ['/docs'], poll: 250 })
    const silent = fileKit.changes(fileKit.opfs({ paths: ['/docs'], poll: false }))
    const before = looks
    const watched = fileKit.changes(source)
    await watched.until('opfs:///docs')
    await fileKit.write({ '/docs/b.txt': 'b' })
    await watched.until('opfs:///docs/b.txt')
    // A look that is under way has no timer yet: it is over when the next one is set.
    const pending = new Set<unknown>()
    const { setTimeout: set, clearTimeout: clear } = globalThis
    const timed = new Promise<void>((resolve) => {
      Object.assign(globalThis, {
        setTimeout: (...args: Parameters<typeof set>) => {
          const timer = set(...args)
          pending.add(timer)
          resolve()
          return timer
        },
        clearTimeout: (timer: number) => {
          pending.delete(timer)
          clear(timer)
        },
      })
    })
    await timed
    watched.seen.splice(0)
    watched.stop()
    return { before, silent: silent.seen, pending: pending.size, seen: watched.seen }
  })
  assert.deepEqual(got, { before: 0, silent: [], pending: 0, seen: [] })
})
