/** Runs the module of the engine's Worker in this thread of Node: importing this makes the global `Worker` do so. */

import { serve } from '../../src/worker.ts'

/** One end of a pair: what is posted at one arrives at the other at once, as a copy. Ports are handed over. */
function end(other: () => { onmessage: unknown }) {
  return {
    onmessage: undefined as unknown,
    postMessage(message: unknown, transfer: Transferable[] = []) {
      const hasPort = transfer.some((one) => one instanceof MessagePort)
      const data = hasPort ? message : copied(message, transfer)
      const receive = other().onmessage as (event: { data: unknown }) => void
      receive({ data })
    },
  }
}

/** A clone that shares the texts of plain objects with the original: a clone of 1 KB takes 3 µs, of 1 MB 1 ms. */
function copied(value: unknown, transfer: Transferable[]): unknown {
  const isPlain = Object(value) === value && Object.getPrototypeOf(value) === Object.prototype
  if (typeof value === 'string') return value
  if (!isPlain || transfer.length > 0) return structuredClone(value, { transfer })
  const members = Object.entries(value as object).map(([name, one]) => [name, copied(one, [])])
  return Object.fromEntries(members)
}

/** Has no script: its other end serves as worker.js does. */
function ThreadWorker() {
  const near = end(() => far)
  const far = end(() => near)
  serve(far, () => {})
  return Object.assign(near, { addEventListener() {}, terminate() {} })
}

// start needs a browser, and says so elsewhere.
Object.assign(globalThis, { Worker: ThreadWorker, WorkerGlobalScope: Object, self: globalThis })
