/**
 * Notices changes of web storage. Other tabs are told of by the `storage` event; what this realm writes
 * by `setItem`, `removeItem` and `clear`, by wrapping these. `localStorage.x = 1` and `delete
 * localStorage.x` tell nobody: they are found by comparing, with every other sign of life, and by a
 * bounded poll while somebody watches.
 *
 * @see https://html.spec.whatwg.org/multipage/webstorage.html
 */

import type { Area } from './storage-keys.ts'

/** How often is looked for assignments to properties. */
const pollInterval = 1000 // ms

/** How many keys are looked at in one poll, round by round. */
const pollKeys = 500

/** Calls `changed` for entries that came, changed or went (`list`: came or went), until signal is aborted. */
export function watchArea(
  storage: Storage,
  area: Area,
  changed: (key: string, list: boolean) => void,
  signal: AbortSignal,
): void {
  const known = new Map<string, string>()
  for (const key of keysOf(storage)) remember(key, valueAt(storage, key))
  let round: string[] = []

  function remember(key: string, value: string | null): boolean {
    if (!area.names(key)) return false
    if (value === null) known.delete(key)
    else known.set(key, value)
    return true
  }

  /** Compares an entry with what is known of it. */
  const check = (key: string) => {
    const before = known.get(key)
    const value = valueAt(storage, key)
    if (value === (before ?? null) || !remember(key, value)) return
    const was = before !== undefined && area.serves(key, before)
    const is = value !== null && area.serves(key, value)
    if (was || is) changed(key, was !== is)
  }
  const checkAll = () => {
    for (const key of new Set([...known.keys(), ...keysOf(storage)]))
      if (area.names(key)) check(key)
  }
  const poll = () => {
    if (round.length === 0)
      round = [...new Set([...known.keys(), ...keysOf(storage)])].filter(area.names)
    for (const key of round.splice(0, pollKeys)) check(key)
  }

  const options = { signal, capture: true, passive: true }
  addEventListener(
    'storage',
    ({ storageArea, key }) => {
      if (storageArea !== storage) return
      if (key === null) checkAll()
      else check(key)
    },
    options,
  )
  for (const type of ['focus', 'blur', 'pageshow', 'click', 'change', 'submit']) {
    addEventListener(type, poll, options)
  }
  addEventListener('visibilitychange', checkAll, options)
  const timer = setInterval(poll, pollInterval)
  const stopListening = onOwnWrites((written, key) => {
    if (written !== storage) return
    // A key that is an object was made text by the method: asking it again might have an effect.
    if (typeof key === 'string') check(key)
    else checkAll()
  })
  signal.addEventListener('abort', () => {
    clearInterval(timer)
    stopListening()
  })
}

/** In the order of their UTF-16 code units. */
export function keysOf(storage: Storage): string[] {
  const { prototype } = Storage
  const count = Reflect.get(prototype, 'length', storage) as number
  const keys = Array.from({ length: count }, (_, i) => prototype.key.call(storage, i))
  return keys.filter((key) => key !== null).sort((a, b) => (a < b ? -1 : 1))
}

export function valueAt(storage: Storage, key: string): string | null {
  return Storage.prototype.getItem.call(storage, key)
}

/** Who is told of a call that has returned; without a key, of `clear`. */
type WriteListener = (storage: unknown, key?: unknown) => void

const listeners = new Set<WriteListener>()
let restore: (() => void) | undefined

/** Tells of writing calls. The first hearer wraps the methods, the last one that goes unwraps them. */
function onOwnWrites(listener: WriteListener): () => void {
  listeners.add(listener)
  if (restore === undefined) {
    const undo = (['setItem', 'removeItem', 'clear'] as const).map(wrap)
    restore = () => {
      for (const one of undo) one()
    }
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    restore?.()
    restore = undefined
  }
}

/** The app sees no difference: `this`, results, exceptions, name and length are the original's. */
function wrap(name: 'setItem' | 'removeItem' | 'clear'): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(Storage.prototype, name)
  const original = descriptor?.value
  if (descriptor === undefined || typeof original !== 'function') return () => {}
  // A method, so that like the original it is no constructor and has no `prototype`.
  const { [name]: method } = {
    [name](this: unknown, ...args: unknown[]) {
      const result = Reflect.apply(original, this, args)
      for (const listener of listeners) listener(this, args[0])
      return result
    },
  }
  Object.defineProperty(method, 'length', { value: original.length, configurable: true })
  Object.defineProperty(Storage.prototype, name, { ...descriptor, value: method })
  return () => {
    // Whoever has wrapped our wrapper keeps it; nobody is told by it any more.
    if (Storage.prototype[name] === (method as unknown)) {
      Object.defineProperty(Storage.prototype, name, descriptor)
    }
  }
}
