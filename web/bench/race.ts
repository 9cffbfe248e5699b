/** Races all subjects in one page of a browser. */

import { type BrowserName, close, launch } from '../test/harness/launch.ts'
import type { Round } from './page.ts'
import type { Rounds, Section } from './report.ts'

/** The least number of rounds with meaningful results. */
const usualRounds = { chromium: 13, firefox: 5 } // per workload

export const quiet = {
  flags: ['--disable-background-timer-throttling', '--disable-renderer-backgrounding'],
  preferences: { 'privacy.reduceTimerPrecision': false },
}

export interface RaceOptions {
  /** Rounds of each workload. */
  rounds: number | undefined
  /** Which workloads; default: all. */
  rows: RegExp | undefined
  /** Which subjects besides null; default: all. */
  subjects: readonly string[] | undefined
  /** Whether the site has another build of the package: subject `before`. */
  before: boolean
}

/** Races in a page of its own; `told` gets what is being measured. */
export async function race(
  name: BrowserName,
  url: string,
  { rounds = usualRounds[name], rows, subjects, before }: RaceOptions,
  told: (what: string) => void,
): Promise<Section> {
  const browser = await launch(name, quiet)
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(url)
    await page.waitForFunction(() => window.bench !== undefined)
    told(`${name}: comparing answers`)
    const { wrong } = await page.evaluate(
      (...args) => window.bench.prepare(...args),
      before,
      subjects,
    )
    if (wrong.length > 0) throw new Error(`wrong answers of ${wrong.join(', ')}: no race`)
    const version = await browser.version()
    const raced: Section = {
      name: `worker ${name}`,
      unit: 'µs',
      browser: version,
      isRace: true,
      rows: [],
    }
    const workloads = await page.evaluate(() => window.bench.workloads)
    for (const [index, workload] of workloads.entries()) {
      if (rows && !rows.test(workload)) continue
      told(`${name}: ${workload}`)
      const names = await page.evaluate((i) => window.bench.subjects(i), index)
      if (names.length === 0) continue
      const run = async (seed: number, reverse: boolean, part: number): Promise<Round> => {
        const round: Round = {}
        for (const name of reverse ? [...names].reverse() : names)
          round[name] = await page.evaluate(
            (...args) => window.bench.run(...args),
            index,
            name,
            seed,
            part,
          )
        return round
      }
      await run(0, false, 0.25) // warms up
      const row: Rounds = { workload, rounds: [] }
      for (let i = 0; i < rounds; i++) row.rounds.push(await run(i + 1, i % 2 === 1, 1))
      raced.rows.push(row)
    }
    return raced
  } finally {
    await close(browser)
  }
}
