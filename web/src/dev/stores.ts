/**
 * The state of an app, as its libraries show it to their developer tools: Redux, and Zustand with its `devtools`, by the
 * interface of Redux DevTools; Pinia by the Vue app; TanStack Query by `window.__TANSTACK_QUERY_CLIENT__`, or the Vue app.
 *
 * @see https://github.com/reduxjs/redux-devtools/blob/main/extension/docs/API/Methods.md
 */

import { plainOf } from './text.ts'

type Act = (...args: unknown[]) => unknown
interface Options {
  name?: unknown
}
interface Store {
  getState(): unknown
  subscribe(changed: () => void): unknown
}
interface QueryClient {
  getQueryCache(): {
    getAll(): { queryKey: unknown; state: Record<string, unknown> }[]
    subscribe(changed: () => void): unknown
  }
}
type PiniaStores = Map<string, { $subscribe(changed: () => void, options: object): unknown }>
interface Page {
  __REDUX_DEVTOOLS_EXTENSION__?: Act & { connect?(options?: Options): Record<string, Act> }
  __REDUX_DEVTOOLS_EXTENSION_COMPOSE__?: Act
  __TANSTACK_QUERY_CLIENT__?: QueryClient
}

/** A member of a member of …, of what may have none. */
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value)

const maxStores = 20
const maxState = 32_000 // UTF-16 code units of one store

/**
 * Takes part as developer tools, beside those that there are. Call it before the app makes its stores.
 *
 * @param changed - called for each change
 * @returns what reads all states, bounded and without secrets
 */
export function observeStores(changed: () => void): () => Record<string, unknown> {
  const page = globalThis as Page
  const stores = new Map<string, () => unknown>()
  const watched = new WeakSet<object>()
  const add = (name: unknown, read: () => unknown) => {
    const key = typeof name === 'string' && name !== '' ? name : `store ${stores.size + 1}`
    if (stores.size < maxStores || stores.has(key)) stores.set(key, read)
    changed()
  }

  const enhancer =
    (name?: unknown) =>
    (create: Act) =>
    (...args: unknown[]) => {
      const store = create(...args) as Store
      add(name, () => store.getState())
      store.subscribe(changed)
      return store
    }
  const compose: Act =
    (...all) =>
    (value: unknown) =>
      all.reduceRight((inner, one) => (one as Act)(inner), value)
  const {
    __REDUX_DEVTOOLS_EXTENSION__: extension,
    __REDUX_DEVTOOLS_EXTENSION_COMPOSE__: composeWith,
  } = page
  const connect = (options: Options = {}) => {
    const theirs = extension?.connect?.(options)
    let state: unknown
    add(options.name, () => state)
    const passed =
      (name: string, at: number) =>
      (...args: unknown[]) => {
        state = args[at]
        changed()
        theirs?.[name]?.(...args)
      }
    const nothing = { subscribe: () => () => {}, unsubscribe() {}, error() {} }
    return { ...nothing, ...theirs, init: passed('init', 0), send: passed('send', 1) }
  }
  const enhance: Act = (options) =>
    compose(...(extension ? [extension(options)] : []), enhancer((options as Options)?.name))
  try {
    page.__REDUX_DEVTOOLS_EXTENSION__ = Object.assign(enhance, extension, { connect })
    page.__REDUX_DEVTOOLS_EXTENSION_COMPOSE__ = (...args) => {
      const [options] = args
      if (typeof options !== 'object') return (composeWith ?? compose)(...args, enhancer())
      const theirs = (composeWith?.(options) ?? compose) as Act
      return (...all: unknown[]) => theirs(...all, enhancer((options as Options).name))
    }
  } catch {} // those of a browser extension cannot be replaced

  /** Whether this is the first sight of an object: it is watched from then on. */
  const isNew = (one: object) => !watched.has(one) && watched.add(one) !== undefined

  return () => {
    const found: Record<string, unknown> = {}
    const put = (name: string, read: () => unknown) => {
      try {
        found[name] = plainOf(read(), 8, { left: maxState })
      } catch (error) {
        found[name] = `cannot be read: ${String(error)}`
      }
    }
    for (const [name, read] of stores) put(name, read)
    let client = page.__TANSTACK_QUERY_CLIENT__
    for (const root of document.querySelectorAll('[data-v-app]')) {
      const app = at(root, '__vue_app__')
      client ??= at(app, '_context', 'provides', 'VUE_QUERY_CLIENT') as QueryClient | undefined
      const pinia = at(app, 'config', 'globalProperties', '$pinia')
      if (pinia) put('pinia', () => at(pinia, 'state', 'value'))
      for (const store of (at(pinia, '_s') as PiniaStores | undefined)?.values() ?? []) {
        if (isNew(store)) store.$subscribe(changed, { detached: true, flush: 'sync' })
      }
    }
    const cache = client?.getQueryCache()
    if (cache && isNew(cache)) cache.subscribe(changed)
    const members = ['status', 'fetchStatus', 'dataUpdatedAt', 'data', 'error']
    const query = ({ queryKey, state }: { queryKey: unknown; state: Record<string, unknown> }) =>
      Object.fromEntries([['queryKey', queryKey], ...members.map((name) => [name, state[name]])])
    if (cache) put('tanstack-query', () => cache.getAll().map(query))
    return found
  }
}
