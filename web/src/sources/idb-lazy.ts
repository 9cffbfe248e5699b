/** Reading and completion of {@link idb} in the window, whose code is loaded by the first call (idb-in-window.ts). */

import { InvalidParamsError } from '../call.ts'
import { BadCursorError, NotFoundError, type Source } from '../source.ts'
import type { Reader } from './idb-open.ts'
import type { IdbOptions, ServedDatabase } from './idb-options.ts'

type Half = Required<Pick<Source, 'list' | 'read' | 'templates' | 'complete'>>

/** Loads the code at the first call; if it does not load, the next call tries again. */
export function lazyReader(
  options: IdbOptions,
  databases: readonly ServedDatabase[],
  read: Reader,
): Half {
  let loading: Promise<Half> | undefined
  const load = async (): Promise<Half> => {
    const { idbComplete, idbReader } = await import('./idb-in-window.ts')
    return { ...idbReader(options, read), complete: idbComplete(databases, read) }
  }
  const loaded = () => {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined
      throw new Error('idb-in-window.js did not load; is it beside index.js?', { cause })
    })
    return loading
  }
  return {
    list: (...args) => loaded().then((half) => half.list(...args).catch(rethrow)),
    read: (...args) => loaded().then((half) => half.read(...args).catch(rethrow)),
    templates: () => loaded().then((half) => half.templates()),
    complete: async (...args) => {
      const half = await loaded()
      return Promise.resolve(half.complete(...args)).catch(rethrow)
    },
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
