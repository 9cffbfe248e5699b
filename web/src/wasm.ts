/**
 * The Go program behind its exports and imports. One {@link Program} is one instance of engine.wasm:
 * it lives until Go exits; then its Worker ends, too (engine.ts). Arguments are numbers, and text in
 * one buffer of Go's; see wasm/main_js.go.
 */

import { answers } from './wasm-numbers.ts'

/** The exports of engine.wasm. `undefined` from any of them means that Go has exited; 0: see `answers` in wasm-numbers.ts. */
export interface Exports {
  readonly mem: WebAssembly.Memory
  buffer(bytes: number): number
  start(n: number): number | undefined
  stop(): number | undefined
  connect(client: number, gateway: number, n: number): number | undefined
  disconnect(client: number): number | undefined
  take(client: number, call: number, method: number, n: number): number | undefined
  message(client: number, n: number): number | undefined
  cancel(client: number, call: number): number | undefined
  fail(client: number, call: number, reason: number, modern: number, n: number): number | undefined
  register(first: number, n: number): number | undefined
  unregister(n: number): number | undefined
  mount(source: number, able: number, n: number): number | undefined
  unmount(source: number): number | undefined
  answerCall(call: number, reason: number, n: number): number | undefined
  setGrants(n: number): number | undefined
  withheld(n: number): number | undefined
  updateCall(call: number, what: number, n: number): number | undefined
  changed(source: number, n: number, under: number): number | undefined
}

/**
 * The imports of the program. They are called from within Go: they record, and return without calling back.
 * `text` is `''` if there is a handle.
 */
export interface Listener {
  methods(names: string[]): void
  report(text: string): void
  define(handle: number, text: string): void
  release(handle: number): void
  open(client: number, key: string, token: string): number
  find(client: number, key: string): number
  /** The number of the only content of the Document that `take` returns. */
  refer(ref: number): void
  respond(call: number, handle: number, text: string): void
  fill(
    call: number,
    handle: number,
    text: string,
    refs: number[],
    uri: string,
    variables: string,
  ): void
  failed(call: number, failure: string): void
  drop(call: number): void
  end(call: number, text: string): void
  refuse(client: number, failure: string): void
  /** `call` above 0: a subscription that it is for; below: minus the call that it belongs to. */
  notify(client: number, handle: number, text: string, call: number): void
  callSource(call: number, source: number, what: number, text: string, client: string): void
  cancelCall(call: number): void
  watch(source: number, on: boolean): void
  /** A request was decided by grants: an AccessDecision without `bytes` and `ms`. */
  decided(call: number, text: string): void
}

/** One running instance of engine.wasm. */
export interface Program {
  readonly exports: Exports
  /** Whether Go has exited. Then no export may be called any more. */
  readonly exited: boolean
  /**
   * Puts text into the input buffer, at most `limit` bytes of it.
   *
   * @returns its length in bytes (UTF-8; lone surrogates become U+FFFD)
   */
  write(text: string, limit?: number): number
  /** Whether goroutines want to run after the present export. */
  goroutinesReady: boolean
  /**
   * Calls an export, lets goroutines run, and delivers what they recorded. Does nothing once Go has exited.
   *
   * @returns what the export returned
   */
  call(act: (exports: Exports, program: Program) => number | undefined): number | undefined
  /** Lets goroutines that can run do so until all wait; also arms Go's timers. */
  pump(): void
  /** Stops the program: clears Go's timers. */
  kill(): void
}

/** The class that Go's wasm_exec.js defines, as far as we use it. */
export interface GoRuntime {
  readonly importObject: WebAssembly.Imports
  readonly exited: boolean
  run(instance: WebAssembly.Instance): Promise<void>
  exit: (code: number) => void
  _resume(): void
  readonly _scheduledTimeouts: Map<number, ReturnType<typeof setTimeout>>
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Up to this length, a loop over the characters is faster than encodeInto. */
const shortText = 256 // UTF-16 code units

/** The least size of the input buffer; the same as in wasm/main_js.go. */
const inputSize = 64 << 10 // bytes

/**
 * Instantiates engine.wasm and runs it until its main function waits.
 *
 * @param Go - the class of wasm_exec.js
 * @param woken - called after Go ran, also by a timer of its own, and when it has exited: does what was recorded
 */
export async function run(
  module: WebAssembly.Module,
  Go: new () => GoRuntime,
  listener: Listener,
  woken: () => void,
): Promise<Program> {
  const go = new Go()
  go.exit = () => {} // callers of exports check `exited`
  let exports = {} as Exports
  let memory = new Uint8Array(0) // all of it; empty when it has grown and moved
  const view = () => {
    if (memory.length === 0) memory = new Uint8Array(exports.mem.buffer)
    return memory
  }
  const read = (pointer: number, length: number) =>
    length === 0 ? '' : decoder.decode(view().subarray(pointer >>> 0, (pointer >>> 0) + length))
  const numbers = (pointer: number, count: number) =>
    Array.from(new Int32Array(exports.mem.buffer, pointer >>> 0, count)) // of an []int32 of Go's

  const instance = await WebAssembly.instantiate(module, {
    ...go.importObject,
    pagemcp: {
      methods: (p: number, n: number) => listener.methods(read(p, n).split('\n')),
      report: (p: number, n: number) => listener.report(read(p, n)),
      define: (handle: number, p: number, n: number) => listener.define(handle, read(p, n)),
      release: (handle: number) => listener.release(handle),
      open: (client: number, kp: number, kn: number, tp: number, tn: number) =>
        listener.open(client, read(kp, kn), read(tp, tn)),
      find: (client: number, p: number, n: number) => listener.find(client, read(p, n)),
      refer: (ref: number) => listener.refer(ref),
      respond: (call: number, handle: number, p: number, n: number) =>
        listener.respond(call, handle, read(p, n)),
      fill: (
        call: number,
        handle: number,
        p: number,
        n: number,
        refs: number,
        count: number,
        up: number,
        un: number,
        vp: number,
        vn: number,
      ) =>
        listener.fill(call, handle, read(p, n), numbers(refs, count), read(up, un), read(vp, vn)),
      failed: (call: number, p: number, n: number) => listener.failed(call, read(p, n)),
      drop: (call: number) => listener.drop(call),
      end: (call: number, p: number, n: number) => listener.end(call, read(p, n)),
      refuse: (client: number, p: number, n: number) => listener.refuse(client, read(p, n)),
      notify: (client: number, handle: number, p: number, n: number, call: number) =>
        listener.notify(client, handle, read(p, n), call),
      callSource: (
        call: number,
        source: number,
        what: number,
        p: number,
        n: number,
        cp: number,
        cn: number,
      ) => {
        listener.callSource(call, source, what, read(p, n), read(cp, cn))
      },
      cancelCall: (call: number) => listener.cancelCall(call),
      watch: (source: number, on: number) => listener.watch(source, on !== 0),
      decided: (call: number, p: number, n: number) => listener.decided(call, read(p, n)),
    },
  })
  exports = instance.exports as unknown as Exports

  // Go's timers run through _resume as well: their records have to be delivered.
  let dead = false
  const clearTimers = () => {
    for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer)
    go._scheduledTimeouts.clear()
  }
  const resume = go._resume.bind(go)
  go._resume = () => {
    if (!dead && !go.exited) {
      try {
        resume()
      } catch {
        dead = true // an error of JavaScript flew through the Go stack: it is torn
      }
    }
    if (dead || go.exited) clearTimers() // wasm_exec.js would wait for them in a loop
    woken()
  }
  go.run(instance).catch(() => {})

  let offset = 0 // of the input buffer
  let size = 0 // of the input buffer, bytes; 0: unknown
  const program: Program = {
    exports,
    goroutinesReady: false,
    get exited() {
      return dead || go.exited
    },
    call(act) {
      let answer: number | undefined
      try {
        if (!program.exited) answer = act(exports, program)
      } catch {} // the stack is torn, as if it had blocked
      if (!answer) dead = true // an export that blocks corrupts Go's stack
      if (program.exited) woken()
      else if (answer !== answers.idle || program.goroutinesReady) program.pump()
      return answer
    },
    write(text, limit = Number.POSITIVE_INFINITY) {
      const most = Math.min(text.length * 3, limit) // bytes
      if (most > size) {
        size = Math.max(most, inputSize)
        offset = exports.buffer(size) >>> 0
      }
      const bytes = view()
      if (text.length <= shortText && most < limit) {
        let i = 0
        for (; i < text.length; i++) {
          const code = text.charCodeAt(i)
          if (code > 127) break
          bytes[offset + i] = code
        }
        if (i === text.length) return i
      }
      const { written } = encoder.encodeInto(text, bytes.subarray(offset, offset + most))
      if (size > 1 << 20) size = 0 // requested again next time, so that Go releases a large one
      return written
    },
    pump() {
      program.goroutinesReady = false
      go._resume()
    },
    kill() {
      dead = true
      clearTimers()
    },
  }
  return program
}
