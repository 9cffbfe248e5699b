/** The mode start: from the beginning of a navigation to the first answered read, in ms. */

import type { Browser, Page } from 'puppeteer-core'
import { close, launch } from '../test/harness/launch.ts'
import { quiet } from './race.ts'
import type { Rounds, Section } from './report.ts'
import type { Site } from './site.ts'

/** Pages, by subject: a module of bench/start, and links that load ahead. */
const pages: { readonly [subject: string]: { module: string; ahead: string } } = {
  ours: { module: 'ours', ahead: '' },
  null: { module: 'null', ahead: '' },
  ts1: { module: 'ts1', ahead: '' },
  ts2: { module: 'ts2', ahead: '' },
  'ours-preload': {
    module: 'ours',
    ahead:
      '<link rel="preload" href="engine.wasm" as="fetch" type="application/wasm" crossorigin>' +
      '<link rel="modulepreload" href="worker.js">',
  },
}

/** The pages as files of the site. */
export const startPages = Object.fromEntries(
  Object.entries(pages).map(([subject, { module, ahead }]) => [
    `/app/${subject}.html`,
    `<!doctype html><meta charset="utf-8"><title>${subject}</title><link rel="icon" href="data:,">` +
      `${ahead}<script type="module" src="${module}.js"></script>`,
  ]),
)

const usualRounds = { cold: 7, slow: 5, warm: 13 }

/** A browser keeps compiled code from about the second visit on. */
const visitsBefore = 3

export async function measureStart(
  site: Site,
  { rounds, rows }: { rounds: number | undefined; rows: RegExp | undefined },
  told: (what: string) => void,
): Promise<Section> {
  const section: Section = { name: 'start chromium', unit: 'ms', isRace: true, rows: [] }
  const add = async (workload: string, count: number, run: (reverse: boolean) => Promise<Row>) => {
    if (rows && !rows.test(workload)) return
    told(workload)
    const row: Rounds = { workload, rounds: [] }
    for (let i = 0; i < (rounds ?? count); i++) row.rounds.push(await run(i % 2 === 1))
    section.rows.push(row)
  }
  const cold = (origin: string) => (reverse: boolean) =>
    inOrder(reverse, async (subject) => {
      const browser = await launch('chromium', quiet)
      try {
        return await visit(await firstPage(browser), origin, subject)
      } finally {
        await close(browser)
      }
    })
  await cold(site.origin)(false) // the files are compressed at the first request
  await add('cold', usualRounds.cold, cold(site.origin))
  await add('cold, 10 Mbit/s and 40 ms', usualRounds.slow, cold(site.slowOrigin))
  const browser = await launch('chromium', quiet)
  try {
    section.browser = await browser.version()
    const page = await firstPage(browser)
    const warm = (reverse: boolean) =>
      inOrder(reverse, (subject) => visit(page, site.origin, subject))
    for (let i = 0; i < visitsBefore; i++) await warm(false)
    await add('warm', usualRounds.warm, warm)
  } finally {
    await close(browser)
  }
  return section
}

type Row = { [subject: string]: number }

async function inOrder(reverse: boolean, run: (subject: string) => Promise<number>): Promise<Row> {
  const subjects = Object.keys(pages)
  const row: Row = {}
  for (const subject of reverse ? subjects.reverse() : subjects) row[subject] = await run(subject)
  return row
}

async function firstPage(browser: Browser): Promise<Page> {
  const page = (await browser.pages())[0] ?? (await browser.newPage())
  page.setDefaultTimeout(60_000)
  await page.goto('about:blank')
  return page
}

async function visit(page: Page, origin: string, subject: string): Promise<number> {
  await page.goto(`${origin}/app/${subject}.html`)
  const answered = await page.waitForFunction(() => window.answered)
  return (await answered.jsonValue()) as number
}
