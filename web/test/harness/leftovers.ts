/**
 * Records what modules start in a page and have not ended: listeners of the window and the document, timers,
 * channels, observers, locks, connections to databases, and replaced methods of prototypes. Must be imported
 * before the modules under test.
 */

const open = new Map<object, string>() // by an object that stands for it

/** Counts listeners of these alone: others end with their target. */
const targets = new Map<unknown, string>([
  [globalThis, 'window'],
  [document, 'document'],
  [document.documentElement, 'html'],
  [(globalThis as { navigation?: EventTarget }).navigation, 'navigation'],
])
targets.delete(undefined)

interface Known {
  readonly target: EventTarget
  readonly type: string
  readonly callback: unknown
  readonly capture: boolean
}
const listening = new Set<Known>()
const isCapture = (options: unknown) =>
  typeof options === 'object' && options !== null
    ? ((options as AddEventListenerOptions).capture ?? false)
    : options === true
const find = (target: unknown, type: string, callback: unknown, options: unknown) =>
  [...listening].find(
    (one) =>
      one.target === target &&
      one.type === type &&
      one.callback === callback &&
      one.capture === isCapture(options),
  )
const forget = (known: Known) => {
  listening.delete(known)
  open.delete(known)
}

const { addEventListener, removeEventListener } = EventTarget.prototype
EventTarget.prototype.addEventListener = function (
  type: string,
  callback: EventListenerOrEventListenerObject | null,
  options?: boolean | AddEventListenerOptions,
) {
  const target = (this ?? globalThis) as EventTarget
  const name = targets.get(target)
  addEventListener.call(target, type, callback, options)
  if (name === undefined || callback === null) return
  const { signal, once } = (typeof options === 'object' && options) || {}
  if (signal?.aborted || find(target, type, callback, options)) return
  const known = { target, type, callback, capture: isCapture(options) }
  listening.add(known)
  open.set(known, `${name} on${type}`)
  if (signal) addEventListener.call(signal, 'abort', () => forget(known))
  if (once) addEventListener.call(target, type, () => forget(known), { once: true })
}
EventTarget.prototype.removeEventListener = function (
  type: string,
  callback: EventListenerOrEventListenerObject | null,
  options?: boolean | EventListenerOptions,
) {
  const target = (this ?? globalThis) as EventTarget
  removeEventListener.call(target, type, callback, options)
  const known = find(target, type, callback, options)
  if (known) forget(known)
}

const timers = new Map<number, object>()
const ended = (id: number | undefined) => {
  open.delete(timers.get(id ?? 0) ?? {})
  timers.delete(id ?? 0)
}
for (const [start, end] of [
  ['setTimeout', 'clearTimeout'],
  ['setInterval', 'clearInterval'],
] as const) {
  const begin = globalThis[start] as (act: () => void, ms?: number) => number
  const stop = globalThis[end]
  const replacement = (act: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const token = {}
    const id = begin(() => {
      if (start === 'setTimeout') ended(id)
      act(...args)
    }, ms)
    timers.set(id, token)
    open.set(token, `${start} ${ms ?? 0}`)
    return id
  }
  Object.assign(globalThis, { [start]: replacement })
  Object.assign(globalThis, {
    [end]: (id?: number) => {
      ended(id)
      stop(id)
    },
  })
}

globalThis.BroadcastChannel = class extends BroadcastChannel {
  constructor(name: string) {
    super(name)
    open.set(this, `channel ${name}`)
  }
  override close() {
    open.delete(this)
    super.close()
  }
}

globalThis.MessageChannel = class extends MessageChannel {
  constructor() {
    super()
    open.set(this, 'message channel')
    for (const port of [this.port1, this.port2]) {
      const { close } = MessagePort.prototype
      port.close = () => {
        open.delete(this)
        close.call(port)
      }
    }
  }
}

/** A class with `observe` and `disconnect`. */
type Observing = new (
  ...args: never[]
) => { observe(...args: never[]): unknown; disconnect(): void }
for (const name of ['MutationObserver', 'FileSystemObserver'] as const) {
  const original = (globalThis as { [name: string]: unknown })[name] as Observing | undefined
  if (original === undefined) continue
  const { observe, disconnect } = original.prototype
  original.prototype.observe = function (...args: never[]) {
    open.set(this, name)
    return observe.apply(this, args)
  }
  original.prototype.disconnect = function () {
    open.delete(this)
    disconnect.call(this)
  }
}

if ('locks' in navigator) {
  const { request } = LockManager.prototype
  LockManager.prototype.request = async function (this: LockManager, ...args: never[]) {
    const token = {}
    open.set(token, `lock ${String(args[0]).replace(/:.*/, '')}`)
    try {
      return await Reflect.apply(request, this, args)
    } finally {
      open.delete(token)
    }
  } as LockManager['request']
}

const { open: openDatabase } = IDBFactory.prototype
IDBFactory.prototype.open = function (name: string, version?: number) {
  const request =
    version === undefined ? openDatabase.call(this, name) : openDatabase.call(this, name, version)
  request.addEventListener('success', () => {
    open.set(request.result, `database ${name}`)
    request.result.addEventListener('close', () => open.delete(request.result))
  })
  return request
}
const { close: closeDatabase } = IDBDatabase.prototype
IDBDatabase.prototype.close = function () {
  open.delete(this)
  closeDatabase.call(this)
}

/** Prototypes of which sources replace methods. */
const prototypes: { readonly [name: string]: object | undefined } = {
  IDBObjectStore: IDBObjectStore.prototype,
  IDBCursor: IDBCursor.prototype,
  IDBFactory: IDBFactory.prototype,
  Storage: Storage.prototype,
  History: History.prototype,
  Cache: globalThis.Cache?.prototype,
  CacheStorage: globalThis.CacheStorage?.prototype,
}
const originals = Object.entries(prototypes).flatMap(([name, prototype = {}]) =>
  Object.entries(Object.getOwnPropertyDescriptors(prototype)).map(
    ([method, { value }]) => ({ name: `${name}.${method}`, prototype, method, value }) as const,
  ),
)

/** All that is open now, sorted; replaced methods by their names. */
export function leftovers(): string[] {
  const replaced = originals
    .filter(
      ({ prototype, method, value }) =>
        Object.getOwnPropertyDescriptor(prototype, method)?.value !== value,
    )
    .map(({ name }) => name)
  return [...open.values(), ...replaced].sort()
}
