/** The page of the benchmark: run.ts drives it. */

import { prepareReading, reading } from './reading.ts'
import { restart } from './restart.ts'
import { makeSubjects, type Subject } from './subjects.ts'
import { allAnswers, collectCursors, workloads } from './workloads.ts'

interface Racer extends Subject {
  cursors: (string | undefined)[]
}

let racers: Racer[] = []

/** µs per operation, by subject. */
export type Round = { [subject: string]: number }

const pairs = [...reading, restart]

const bench = {
  workloads: workloads.map(({ name, goal }) => ({ name, goal })),

  /** Makes the subjects and compares their answers with those of `null`; returns those that differ. */
  async prepare(): Promise<{ subjects: string[]; wrong: string[] }> {
    if (!crossOriginIsolated) throw new Error('not cross-origin isolated: the clock is too coarse')
    const subjects = await makeSubjects()
    racers = await Promise.all(
      subjects.map(async (one) => ({ ...one, cursors: await collectCursors(one.client) })),
    )
    const answers = new Map<string, string>()
    for (const { name, client, cursors, modern } of racers)
      answers.set(name, await allAnswers(client, cursors, modern))
    const wrong = subjects
      .map(({ name }) => name)
      .filter((name) => answers.get(name) !== answers.get('null'))
    return { subjects: subjects.map(({ name }) => name), wrong }
  },

  /** Runs one workload once for every subject, in order or in reverse. */
  async round(index: number, seed: number, reverse: boolean, part = 1): Promise<Round> {
    const workload = workloads[index]
    if (workload === undefined) throw new Error(`no workload ${index}`)
    const count = Math.ceil(workload.count * part)
    const times: Round = {}
    for (const { name, client, cursors, modern } of reverse ? [...racers].reverse() : racers) {
      if (modern && workload.classicOnly) continue
      const ms = await client.run(count, workload.inFlight, workload.ask(cursors, seed))
      times[name] = (ms * 1000) / count
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

export type Bench = typeof bench

declare global {
  interface Window {
    bench: Bench
  }
}

window.bench = bench
