/** Reading and completion of {@link idb} in the window, whose code is loaded by the first call (idb-in-window.ts). */

import { lazily } from '../module.ts'
import type { Source } from '../source.ts'
import type { Reader } from './idb-open.ts'
import type { ServedDatabase } from './idb-options.ts'
import { lazyReader, rethrow } from './lazy-reader.ts'

type Half = Required<Pick<Source, 'list' | 'read' | 'complete'>>

interface LazyHalf extends Half {
  /** The source is mounted: it may be read. */
  prepare(): void
}

/** Loads the code for the window, once. */
const loadIdb = () => lazily('idb-in-window.js', import('./idb-in-window.ts'))

export function lazyIdb(databases: readonly ServedDatabase[], read: Reader): LazyHalf {
  return {
    prepare: () => void loadIdb(), // the use reports an error
    ...lazyReader('idb:///', async () => (await loadIdb()).idbReader(databases, read)),
    async complete(...args) {
      const { idbComplete } = await loadIdb()
      return Promise.resolve(idbComplete(databases, read)(...args)).catch(rethrow)
    },
  }
}
