/** What tests evaluate in a page: all built-in sources, and what they leave behind. Everything here runs in the browser. */

import type { Source } from '../../src/source.ts'
import { idb } from '../../src/sources/idb.ts'
import { page } from '../../src/sources/page.ts'
import { storage } from '../../src/sources/storage.ts'
import { tabs } from '../../src/sources/tabs.ts'
import { leftovers } from '../harness/leftovers.ts' // before the sources

/** All that each source can observe. */
const observing = {
  idb: { databases: { app: ['notes'] } },
  storage: { local: ['theme'] },
  page: { select: ['body'] },
  tabs: { text: ['body'] },
}

/** The functions of the package. */
const functions: {
  readonly [name in keyof typeof observing]: (options: never) => Source
} = { idb, storage, page, tabs }

/** Each source with all that it can observe. */
const sources = Object.fromEntries(
  Object.entries(observing).map(([name, all]) => {
    const make = functions[name as keyof typeof observing] as (options: object) => Source
    return [name, () => make(all)]
  }),
)

/** Writes as the app does, in all the ways that sources observe. */
async function write(): Promise<void> {
  localStorage.setItem('theme', `dark ${Math.random()}`)
  history.pushState(null, '', `#${Math.random()}`)
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.open('app', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('notes')
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const transaction = request.result.transaction('notes', 'readwrite')
      transaction.objectStore('notes').put('one', 1)
      transaction.oncomplete = () => {
        request.result.close()
        resolve()
      }
    }
  })
}

/** Waits until `wanted` is what is open; after 15 s, until something else is. */
async function until(wanted: (open: string[]) => boolean): Promise<string[]> {
  const end = performance.now() + 15_000 // ms
  while (!wanted(leftovers()) && performance.now() < end) {
    await new Promise(requestAnimationFrame)
  }
  return leftovers()
}

/** Methods that sources replace where the platform has no event. */
const methods: readonly (readonly [prototype: object | undefined, name: string])[] = [
  [IDBObjectStore.prototype, 'put'],
  [Storage.prototype, 'setItem'],
  [History.prototype, 'pushState'],
]

/** Wraps the present methods, as other code of the app does; returns how to undo it. */
function wrapOthers(): () => void {
  const undo = methods.map(([prototype, name]) => {
    const below = Object.getOwnPropertyDescriptor(prototype ?? {}, name)
    if (prototype === undefined || below === undefined) return () => {}
    const value = function (this: unknown, ...args: unknown[]) {
      return Reflect.apply(below.value, this, args)
    }
    Object.defineProperty(prototype, name, { ...below, value })
    return () => Object.defineProperty(prototype, name, below)
  })
  return () => {
    for (const one of undo) one()
  }
}

const exported = { sources, functions, leftovers, until, write, wrapOthers }

declare global {
  var sourcesKit: typeof exported
}

globalThis.sourcesKit = exported
