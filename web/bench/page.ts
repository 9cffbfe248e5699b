/** The page of the benchmark: run.ts drives it. */

import { collectCursors, firstDifference } from './answers.ts'
import { makeSubjects } from './subjects.ts'
import { type Racer, workloads } from './workloads.ts'

/** How long one subject may take for one workload. */
const timeout = 25_000 // ms

let racers: Racer[] = []

/** µs per operation, by subject. */
export type Round = { [subject: string]: number }

const bench = {
  workloads: workloads.map(({ name }) => name),

  /** Makes the subjects and compares their answers with those of `null`; returns what differs. */
  async prepare(before: boolean, only?: readonly string[]): Promise<{ wrong: string[] }> {
    if (!crossOriginIsolated) throw new Error('not cross-origin isolated: the clock is too coarse')
    const subjects = await makeSubjects(before)
    racers = []
    for (const one of subjects) {
      if (only && !only.includes(one.name) && one.name !== 'null') continue
      const client = await one.open()
      racers.push({ ...one, client, cursors: await collectCursors(client), crowds: new Map() })
    }
    const truth = racers.find(({ name }) => name === 'null')
    if (truth === undefined) throw new Error('no null')
    const wrong: string[] = []
    for (const one of racers) {
      const difference = one === truth ? undefined : await firstDifference(one, truth)
      if (difference !== undefined) wrong.push(`${one.name}: ${difference}`)
    }
    return { wrong }
  },

  /** The subjects that have a workload. */
  subjects(index: number): string[] {
    const workload = workloads[index]
    if (workload === undefined) return []
    const { isClassicOnly } = workload
    return racers.filter(({ isModern }) => !isModern || !isClassicOnly).map(({ name }) => name)
  },

  /** Runs one workload once for one subject; returns µs per operation. */
  async run(index: number, name: string, seed: number, part = 1): Promise<number> {
    const workload = workloads[index]
    const racer = racers.find((one) => one.name === name)
    if (workload === undefined || racer === undefined) throw new Error(`no ${name} ${index}`)
    const count = Math.ceil(workload.count * part)
    return 1000 * (await soon(workload.run(racer, count, seed), `${workload.name} of ${name}`))
  },
}

/** Rejects with what was waited for. */
function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} takes too long`)), timeout)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

export type Bench = typeof bench

declare global {
  interface Window {
    bench: Bench
  }
}

window.bench = bench
