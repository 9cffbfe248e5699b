/** The reading halves of portable sources, which run in the engine's Worker. */

import type { Portable, Source } from './source.ts'
import { idbReader } from './sources/idb-reader.ts'

/** Makes a reader from the options of its {@link Portable}. */
type MakeReader = (options: never) => Source

const makers: { readonly [kind in Portable['kind']]: MakeReader } = {
  idb: idbReader,
}

/** Makes a reader. */
export const portableReader = ({ kind, options }: Portable): Source =>
  makers[kind](options as never)
