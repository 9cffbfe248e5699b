/** Reading and completion of {@link idb} in the window, whose code is loaded by the first call (idb-in-window.ts). */

import { InvalidParamsError } from '../call.ts'
import { lazily } from '../module.ts'
import { BadCursorError, NotFoundError, type Source } from '../source.ts'
import type { Reader } from './idb-open.ts'
import type { ServedDatabase } from './idb-options.ts'
import type { pollStores as poll } from './idb-poll.ts'

type Half = Required<Pick<Source, 'list' | 'read' | 'complete'>>

interface LazyHalf extends Half {
  /** The source is mounted: it may be read. */
  prepare(): void
}

/** Loads the code at the first call; if it does not load, the next call tries again. */
export function lazyReader(databases: readonly ServedDatabase[], read: Reader): LazyHalf {
  let loading: Promise<Half> | undefined
  const load = async (): Promise<Half> => {
    const { idbComplete, idbReader } = await lazily(
      'idb-in-window.js',
      import('./idb-in-window.ts'),
    )
    return { ...idbReader(databases, read), complete: idbComplete(databases, read) }
  }
  const loaded = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return {
    prepare: () => void loaded().catch(() => {}), // the use reports it
    list: (...args) => loaded().then((half) => half.list(...args).catch(rethrow)),
    async read(uri, options) {
      if (!uri.startsWith('idb:///')) throw new NotFoundError(uri) // another source's: nothing is loaded
      const half = await loaded()
      return half.read(uri, options).catch(rethrow)
    },
    complete: async (...args) => {
      const half = await loaded()
      return Promise.resolve(half.complete(...args)).catch(rethrow)
    },
  }
}

/** Polls as idb-poll.ts does, until the signal is aborted. */
export async function pollStores(...args: Parameters<typeof poll>): Promise<void> {
  try {
    const { pollStores } = await lazily('idb-in-window.js', import('./idb-in-window.ts'))
    pollStores(...args)
  } catch (error) {
    globalThis.reportError?.(error)
  }
}

/** Throws an error of idb-in-window.js as one of the class of the same name here, which apps test for. */
function rethrow(error: unknown): never {
  const classes: { readonly [name: string]: { prototype: Error } | undefined } = {
    BadCursorError,
    InvalidParamsError,
    NotFoundError,
  }
  const own = error instanceof DOMException ? undefined : classes[(error as Error).name]
  throw own ? Object.setPrototypeOf(error, own.prototype) : error
}
