/**
 * The reading half of a portable source in the window, whose code is loaded by the first call: the engine's thread has its
 * own, so only an app that calls a source itself needs it.
 */

import { InvalidParamsError } from '../call.ts'
import { BadCursorError, NotFoundError, type Source } from '../source.ts'

export type ReadingHalf = Pick<Source, 'list' | 'read'>

/** @param load - if it rejects, the next call loads again */
export function lazyReader(scheme: string, load: () => Promise<ReadingHalf>): ReadingHalf {
  return {
    async list(...args) {
      const half = await load()
      return half.list(...args).catch(rethrow)
    },
    async read(uri, options) {
      if (!uri.startsWith(scheme)) throw new NotFoundError(uri) // another source's: nothing is loaded
      const half = await load()
      return half.read(uri, options).catch(rethrow)
    },
  }
}

/** Throws an error of a file that is loaded on demand as one of the class of the same name here, which apps test for. */
export function rethrow(error: unknown): never {
  const classes: { readonly [name: string]: { prototype: Error } | undefined } = {
    BadCursorError,
    InvalidParamsError,
    NotFoundError,
  }
  const own = error instanceof DOMException ? undefined : classes[(error as Error).name]
  throw own ? Object.setPrototypeOf(error, own.prototype) : error
}
