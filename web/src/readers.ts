/**
 * The reading halves of portable sources, which run in the engine's Worker. Each kind is a file of its own
 * beside worker.js, loaded when a source of that kind is mounted.
 */

import type { Json, Portable, Source } from './source.ts'

/** Makes a reader from the options of its {@link Portable}. */
type MakeReader = (options: never) => Source

/** Loads the modules, by kind. The bundler keeps these imports dynamic (server/bundle). */
const modules: { readonly [kind in Portable['kind']]: () => Promise<MakeReader> } = {
  idb: () => import('./sources/idb-reader.ts').then(({ idbReader }) => idbReader),
  opfs: () => import('./sources/opfs-reader.ts').then(({ opfsReader }) => opfsReader),
  caches: () => import('./sources/caches-reader.ts').then(({ cachesReader }) => cachesReader),
}

/**
 * Makes a reader, and starts to load its module; calls wait for it. If the module does not load, the next
 * call tries again.
 *
 * @param templates - whether the source has templates
 */
export function portableReader({ kind, options }: Portable, templates: boolean): Source {
  let loading: Promise<Source> | undefined
  const reader = () => {
    loading ??= load(kind, options).catch((error: unknown) => {
      loading = undefined
      const hint = `is ${kind}-reader.js beside worker.js?`
      throw new Error(`the reader of ${kind} did not load; ${hint}`, { cause: error })
    })
    return loading
  }
  reader().catch(() => {}) // calls report the error
  return {
    list: async (cursor, options) => (await reader()).list(cursor, options),
    read: async (uri, options) => (await reader()).read(uri, options),
    ...(templates && { templates: async () => (await reader()).templates?.() ?? [] }),
  }
}

async function load(kind: Portable['kind'], options: Json): Promise<Source> {
  const make = await modules[kind]()
  return make(options as never)
}
