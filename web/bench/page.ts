/** The page of the benchmark: run.ts drives it. */

import { collectCursors, firstDifference } from './answers.ts'
import { prepareReading, reading } from './reading.ts'
import { restart } from './restart.ts'
import { type Mode, makeSubjects } from './subjects.ts'
import { countIn, type Racer, workloads } from './workloads.ts'

/** How long one subject may take for one workload. */
const timeout = 25_000 // ms

let mode: Mode = 'direct'
let racers: Racer[] = []

/** µs per operation, by subject. */
export type Round = { [subject: string]: number }

const pairs = [...reading, restart]

const bench = {
  workloads: workloads.map(({ name }) => name),

  /** Makes the subjects and compares their answers with those of `null`; returns what differs. */
  async prepare(wanted: Mode, only?: readonly string[]): Promise<{ wrong: string[] }> {
    if (!crossOriginIsolated) throw new Error('not cross-origin isolated: the clock is too coarse')
    mode = wanted
    const subjects = await makeSubjects(mode)
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

  /** Runs one workload once for every subject, in order or in reverse. */
  async round(index: number, seed: number, reverse: boolean, part = 1): Promise<Round> {
    const workload = workloads[index]
    if (workload === undefined) throw new Error(`no workload ${index}`)
    const count = Math.ceil(countIn(mode, workload) * part)
    const times: Round = {}
    for (const racer of reverse ? [...racers].reverse() : racers) {
      if (racer.isModern && workload.isClassicOnly) continue
      const what = `${workload.name} of ${racer.name}`
      times[racer.name] = 1000 * (await soon(workload.run(racer, count, seed), what))
    }
    return times
  },

  pairs: pairs.map(({ name, plainly }) => ({ name, plainly })),
  prepareReading,

  /** Runs one pair. */
  async pair(index: number, reverse: boolean): Promise<Round> {
    const pair = pairs[index]
    if (pair === undefined) throw new Error(`no pair ${index}`)
    return pair.round(reverse)
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
