/**
 * The engine's Worker with its supervisor: a Worker that has ended or hangs is replaced by a new one, which gets all
 * registrations, mounts and gateways. The Go program in a Worker that lives has a supervisor of its own (engine.ts).
 *
 * Ports end with their Worker: they were moved to it. `closed` of {@link Thread.open} is called then.
 */

import type { GrantTable } from './access-types.ts'
import type { Ready, Value } from './contents.ts'
import type { EngineState } from './engine-types.ts'
import type { Dial, GatewayState } from './gateway-types.ts'
import type { Port } from './port.ts'
import type { Descriptions } from './registry.ts'
import { restartPolicy } from './restarts.ts'
import type { PortableSource, Source } from './source.ts'
import type { SupervisedWorker, Thread, ThreadHost } from './thread.ts'

/**
 * Starts a Worker. `died` is called once, with the reason, if it is gone before it is closed; `prepare` when it may hang,
 * to start the next one meanwhile, which is dropped if the signal is aborted. With `isDown` it runs no engine, and
 * answers all requests so, since only a Worker can tell a gateway.
 */
export type Launch = (
  host: ThreadHost,
  supervision: Pick<SupervisedWorker, 'died' | 'prepare' | 'isDown'>,
) => Promise<Thread>

/** A Worker, whether it serves or is prepared. */
interface Candidate {
  thread: Promise<Thread>
  state: EngineState
  /** Why it has ended. */
  died?: string
}

interface Batch {
  readonly added: Descriptions
  /** The indices of those with a value. */
  readonly published: readonly number[]
}

interface Joining {
  dial: Dial
  readonly token: (() => unknown) | undefined
  readonly settled: (name: string) => void
  readonly failed: (error: unknown) => void
  state?: GatewayState
}

/** A port that waits for the next Worker. */
interface Opening {
  readonly port: Port
  readonly principal: string
  readonly closed: (() => void) | undefined
  end: (reason: string) => void
}

/** @throws if the first Worker does not start */
export async function supervised(launch: Launch, host: ThreadHost): Promise<Thread> {
  const batches = new Map<number, Batch>()
  const values = new Map<number, Ready | undefined>() // by number; a text costs nothing while the app has it, too
  const mounts = new Map<number, { prefix: string; source: Source | PortableSource }>()
  const gateways = new Map<number, Joining>()
  const openings = new Set<Opening>()
  const nextRestart = restartPolicy()
  let watchesReads = false
  let access: GrantTable | undefined
  let isClosed = false
  let isDown = false // for good: the next Worker says so
  let isOver = false // that one has ended, too
  let thread: Thread | undefined // none until the next Worker has started
  let serving: Candidate | undefined // its events count
  let prepared: Candidate | undefined

  const start = () => {
    const only =
      <A extends unknown[]>(act: (...args: A) => void) =>
      (...args: A) => {
        if (own === serving) act(...args)
      }
    const ownHost: ThreadHost = {
      ...host,
      engineState(state) {
        own.state = state
        if (own === serving) host.engineState(state)
      },
      gatewayState: only((number, state) => {
        const gateway = gateways.get(number)
        if (gateway) gateway.state = state
        host.gatewayState(number, state)
      }),
      read: only(host.read),
      decided: only(host.decided),
    }
    const ended = (why: string) => {
      own.died = why
      if (own === serving) died(why)
    }
    const own = { state: 'restarting' } as Candidate
    const prepareNext = (answered: AbortSignal) =>
      thread && own === serving ? prepare(answered) : Promise.resolve()
    own.thread = launch(ownHost, { died: ended, prepare: prepareNext, isDown })
    return own
  }

  function prepare(answered: AbortSignal) {
    const own = start()
    prepared = own
    const drop = () => {
      if (prepared === own) dropPrepared()
    }
    answered.addEventListener('abort', drop)
    own.thread.catch(drop)
    return own.thread
  }

  function dropPrepared() {
    prepared?.thread.then((unused) => unused.close()).catch(() => {})
    prepared = undefined
  }

  function died(why: string) {
    serving = undefined
    thread = undefined
    const delay = isDown ? undefined : nextRestart()
    isOver = isDown
    isDown ||= delay === undefined
    host.engineState(isDown ? 'down' : 'restarting')
    const error = `${why}${isDown ? ', and is not restarted' : ''}`
    host.report(new Error(error))
    for (const [number, { state }] of gateways) {
      if (state) host.gatewayState(number, { ...state, is: 'away', error })
    }
    if (isDown) dropPrepared()
    if (isOver) for (const opening of openings) shut(opening)
    else if (prepared) void serveNext(prepared)
    else setTimeout(() => isClosed || void serveNext(start()), delay)
  }

  async function serveNext(next: Candidate) {
    prepared = undefined
    try {
      const started = await next.thread
      if (isClosed) return started.close()
      if (next.died !== undefined) throw new Error(next.died) // before it served
      serving = next
      host.engineState(next.state)
      restore(started)
    } catch (error) {
      if (!isClosed) died(error instanceof Error ? error.message : String(error))
    }
  }

  function restore(next: Thread) {
    thread = next
    if (access) next.setAccess(access) // first: nothing is served without it
    for (const [first, { added, published }] of isDown ? [] : batches) {
      const ready = published.map((index) => [index, values.get(first + index)] as const)
      next.register(first, added, ready)
    }
    for (const [number, { prefix, source }] of mounts) next.mount(number, prefix, source)
    if (watchesReads) next.watchReads(true)
    for (const [number, joining] of gateways) dialNow(next, number, joining)
    for (const opening of openings) {
      openings.delete(opening)
      opening.end = next.open(opening.port, opening.principal, opening.closed)
    }
  }

  function dialNow(to: Thread, number: number, joining: Joining) {
    to.connect(number, joining.dial, joining.token).then(
      (name) => {
        const { invitation: _, ...dial } = joining.dial // it is used up
        joining.dial = { ...dial, rejoins: true }
        joining.settled(name)
      },
      (error) => {
        if (to === thread) joining.failed(error) // else it ended, and the next Worker dials again
      },
    )
  }

  function shut(opening: Opening) {
    openings.delete(opening)
    opening.port.close?.()
    opening.closed?.()
  }

  serving = start()
  thread = await serving.thread
  return {
    register(first, added, published = []) {
      const copies = published.map(([index, ready]) => [first + index, kept(ready)] as const)
      thread?.register(first, added, published)
      batches.set(first, { added, published: published.map(([index]) => index) })
      for (const [ref, copy] of copies) values.set(ref, copy)
    },
    unregister(first, count) {
      batches.delete(first)
      for (let ref = first; ref < first + count; ref++) values.delete(ref)
      thread?.unregister(first, count)
    },
    publish(ref, uri, ready) {
      const copy = kept(ready)
      thread?.publish(ref, uri, ready)
      if (values.has(ref)) values.set(ref, copy)
    },
    mount(number, prefix, source) {
      mounts.set(number, { prefix, source })
      thread?.mount(number, prefix, source)
    },
    unmount(number) {
      mounts.delete(number)
      thread?.unmount(number)
    },
    changed: (what) => thread?.changed(what), // those who listen to a new Worker have read nothing before
    open(port, principal, closed) {
      if (thread) return thread.open(port, principal, closed)
      const opening: Opening = { port, principal, closed, end: () => shut(opening) }
      if (isOver) shut(opening)
      else openings.add(opening)
      return (reason) => opening.end(reason)
    },
    connect: (number, dial, token) =>
      new Promise((settled, failed) => {
        const joining = { dial, token, settled, failed }
        gateways.set(number, joining)
        if (thread) dialNow(thread, number, joining)
      }),
    disconnect(number) {
      gateways.delete(number)
      thread?.disconnect(number)
    },
    wake: (asleep) => thread?.wake(asleep),
    watchReads(on) {
      watchesReads = on
      thread?.watchReads(on)
    },
    setAccess(table) {
      access = table
      thread?.setAccess(table)
    },
    close() {
      isClosed = true
      dropPrepared()
      for (const opening of openings) shut(opening)
      for (const { failed } of gateways.values()) {
        if (!thread) failed(new DOMException('the engine was closed', 'AbortError'))
      }
      thread?.close()
    },
  }
}

/** A value for the next Worker: bytes that move away, or that the app may change, are copied. */
function kept(ready: Ready | undefined): Ready | undefined {
  if (ready === undefined || typeof ready.value === 'string') return ready
  const { value, mimeType } = ready
  const copy = (bytes: Value) =>
    typeof bytes === 'string' || bytes instanceof Blob ? bytes : new Blob([bytes])
  const copied = Array.isArray(value)
    ? value.map((part) => ({ ...part, value: copy(part.value) }))
    : copy(value)
  return { value: copied, ...(mimeType !== undefined && { mimeType }) }
}
