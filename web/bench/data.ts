/**
 * What every subject serves: the same resources and texts, made anew in each run by the same rules.
 */

export interface Item {
  uri: string
  name: string
  title: string
  description: string
  mimeType: string
  size: number
}

export const itemCount = 10_000
export const pageSize = 50

export function makeItems(): Item[] {
  return Array.from({ length: itemCount }, (_, n) => ({
    uri: `app://records/item-${n}`,
    name: `item-${n}`,
    title: `Item number ${n}`,
    description: `The "${n}th" record of the shop's catalogue, with a description of usual length.`,
    mimeType: 'text/plain',
    size: 1024,
  }))
}

/** 1 KB with what JSON has to escape in it. */
export function makeText(n: number): string {
  const line = `${n}\t"quoted" and back\\slashed, then the end of the line\n`
  return line.repeat(Math.ceil(1024 / line.length)).slice(0, 1024)
}

/** Random numbers that are the same for each subject: mulberry32. */
export function sequence(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}
