/** Questions that are asked again until the answer fits. */

import { setTimeout as pass } from 'node:timers/promises'

/** How long an answer may stay another one. */
const limit = 20_000 // ms

/** Between two questions. */
const pause = 100 // ms

/**
 * Asks until the answer fits. A gateway answers for a page that is slow to list something after 2 s, with what it knows,
 * which may be nothing.
 *
 * @param what - what is waited for, for the error
 */
export async function askUntil<T>(
  what: string,
  ask: () => Promise<T>,
  fits: (answer: T) => boolean,
  ms = limit,
): Promise<T> {
  const deadline = Date.now() + ms
  for (;;) {
    const answer = await ask()
    if (fits(answer)) return answer
    if (Date.now() > deadline) {
      throw new Error(`not in ${ms} ms: ${what}; the last answer: ${JSON.stringify(answer)}`)
    }
    await pass(pause)
  }
}

/** Lists until all of these are among the names or URIs. */
export function listUntil(list: () => Promise<string[]>, ...wanted: string[]): Promise<string[]> {
  const listed = (all: string[]) => wanted.every((one) => all.includes(one))
  return askUntil(`${wanted.join(' ')} listed`, list, listed)
}
