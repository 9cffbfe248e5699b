/**
 * Own CPU of reads that no earlier read has prepared: of resources that are read for the first time, and of any record
 * while the data changes.
 */

import type { Ask } from './client.ts'
import { freshEntries, freshUri, isPublished, itemCount, itemUri, sequence } from './data.ts'
import type { Data } from './subjects.ts'
import type { Racer, Workload } from './workloads.ts'

/** Of the rows with changes. */
const readsPerChange = 64

const inFlight = 64

const kind = (published: boolean) => (published ? 'published' : 'function')

export const firstReads: readonly Workload[] = [true, false].flatMap((published) => [
  first(published),
  changing(published),
])

/** Reads each of the resources once that are registered for this round alone. Registering is not measured. */
function first(published: boolean): Workload {
  return {
    name: `first read 1 KB ${kind(published)}`,
    counts: { direct: 4_000, port: 0 },
    async run(racer, count) {
      const batch = ++batches
      const remove = dataOf(racer).add(freshEntries(batch, count, published))
      await new Promise((resolve) => setTimeout(resolve, settling))
      try {
        const ask: Ask = (n) => ['resources/read', { uri: freshUri(batch, n) }]
        return (await racer.client.run(count, inFlight, ask)) / count
      } finally {
        remove()
      }
    },
  }
}

let batches = 0

/** So that the garbage of registering is collected before, by Go as well. */
const settling = 30 // ms

/** Reads any record of a kind, and changes one of them before each 64 reads. */
function changing(published: boolean): Workload {
  return {
    name: `read 1 KB ${kind(published)}, one change per ${readsPerChange}`,
    counts: { direct: 8_000, port: 0 },
    async run(racer, count, seed) {
      const next = sequence(seed)
      const odd = isPublished(0) === published ? 0 : 1
      const any = () => itemUri(2 * next(itemCount / 2) + odd)
      const data = dataOf(racer)
      const texts = freshEntries(0, Math.ceil(count / readsPerChange), published)
      const ask: Ask = (n) => {
        if (n % readsPerChange === 0) {
          const text = texts[n / readsPerChange]?.text ?? ''
          if (published) data.publish(any(), text)
          else racer.touch(any())
        }
        return ['resources/read', { uri: any() }]
      }
      return (await racer.client.run(count, inFlight, ask)) / count
    },
  }
}

function dataOf({ name, data }: Racer): Data {
  if (data === undefined) throw new Error(`the data of ${name} cannot change`)
  return data
}
