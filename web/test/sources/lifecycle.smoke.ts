// Sources start when they are mounted and stop when they are unmounted: nothing of theirs is in the page before and after.

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './kit.ts' // declares globalThis.sourcesKit

const site = serveKit('sources/kit.ts')

/** What a source has in the page while it is mounted without listeners, in all browsers. */
const whileMounted: { readonly [name: string]: readonly string[] } = {
  idb: ['IDBObjectStore.put', 'channel io.github.pagemcp/idb'],
  storage: [],
  page: [],
  tabs: ['channel pagemcp.tabs', 'lock pagemcp', 'window onfocus'],
}

for (const [name, expected] of Object.entries(whileMounted)) {
  inBrowsers(`${name}: starts when it is mounted, stops when it is unmounted`, async ({ open }) => {
    const tab = await open(site.url())
    await tab.waitForFunction('globalThis.sourcesKit !== undefined')
    const got = await tab.evaluate(
      async (name, expected) => {
        const { sources, leftovers, until, write } = sourcesKit
        const source = sources[name]?.()
        if (source === undefined) throw new Error(name)
        const created = leftovers()
        // Nothing is expected of a source that loads its code when it is mounted, once it has.
        const isThere = (open: string[]) =>
          expected.length > 0 ? expected.every((one) => open.includes(one)) : open.length === 0
        const mounts = [new AbortController(), new AbortController()] as const
        const watch = new AbortController()
        source.mounted?.(mounts[0].signal)
        const mounted = await until(isThere)
        source.mounted?.(mounts[1].signal) // in another engine
        let changes = 0
        source.watch?.(() => changes++, watch.signal)
        await write()
        const watched = await until((open) => open.length > 0)
        mounts[0].abort()
        const stillMounted = leftovers()
        watch.abort()
        const unwatched = await until(isThere)
        mounts[1].abort()
        const unmounted = await until((open) => open.length === 0)
        changes = 0
        await write()
        // Again: what was restored can be wrapped again.
        const again = new AbortController()
        source.mounted?.(again.signal)
        const remounted = await until(isThere)
        again.abort()
        const gone = await until((open) => open.length === 0)
        await write()
        return {
          created,
          mounted,
          watched,
          stillMounted,
          unwatched,
          unmounted,
          remounted,
          gone,
          changes,
        }
      },
      name,
      expected,
    )
    const { mounted, watched, stillMounted, unwatched, remounted, changes, ...nothing } = got
    assert.deepEqual(nothing, { created: [], unmounted: [], gone: [] })
    for (const open of [mounted, stillMounted, unwatched, remounted]) {
      assert.deepEqual(
        expected.filter((one) => !open.includes(one)),
        [],
        JSON.stringify(open),
      )
    }
    if (expected.length === 0) assert.deepEqual([mounted, unwatched, remounted], [[], [], []])
    assert.notDeepEqual(watched, [])
    assert.equal(changes, 0, 'announced after the end')
  })
}

/** Sources that replace methods, where: the History API has an event in Chromium. */
const wrapping = { idb: 'IDBObjectStore', storage: 'Storage', page: 'History' }

for (const [name, prototype] of Object.entries(wrapping)) {
  inBrowsers(
    `${name}: methods that other code has wrapped meanwhile stay, and ours only passes calls on`,
    async ({ open }) => {
      const tab = await open(site.url())
      await tab.waitForFunction('globalThis.sourcesKit !== undefined')
      const got = await tab.evaluate(async (name) => {
        const { sources, leftovers, until, write, wrapOthers } = sourcesKit
        const stop = new AbortController()
        let changes = 0
        sources[name]?.().watch?.(() => changes++, stop.signal)
        const undo = wrapOthers()
        stop.abort()
        const replaced = await until((open) => open.every((one) => /^\w+\.\w+$/.test(one)))
        changes = 0
        await write() // through ours: it works, and starts nothing
        const afterWrite = leftovers()
        // Another one wraps that again, and its end restores it.
        const again = new AbortController()
        sources[name]?.().watch?.(() => changes++, again.signal)
        await write()
        while (changes === 0) await new Promise(requestAnimationFrame)
        again.abort()
        const restored = await until((open) => open.every((one) => /^\w+\.\w+$/.test(one)))
        undo() // back to ours
        changes = 0
        await write()
        return { replaced, afterWrite, restored, ours: leftovers(), changes }
      }, name)
      assert.deepEqual(got.afterWrite, got.replaced)
      assert.deepEqual(got.restored, got.replaced)
      // Nobody but the others replaced what we did not wrap; ours is left only below them.
      assert.deepEqual(
        got.ours.filter((one) => !one.startsWith(prototype)),
        [],
      )
      assert.equal(got.changes, 0)
    },
  )
}
