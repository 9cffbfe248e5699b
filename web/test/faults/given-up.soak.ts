// For how long a gateway may be away until official clients of older revisions give up their GET stream, and by when they
// hear of changes all the same. LENGTHS= in seconds, RUNS= for each. Figures are printed, and only a change that is not
// heard of fails.

import { performance } from 'node:perf_hooks'
import { setTimeout as pass } from 'node:timers/promises'
import { inBrowsers } from '../harness/browsers.ts'
import { away, joinedAs, set, setting } from './kit.ts'
import { legacy } from './legacy.ts'

const lengths = (process.env.LENGTHS ?? '6,8,12').split(',').map(Number) // s
const runs = Number(process.env.RUNS ?? 5)

/** The clients try again after 1 s and 1.5 s: by then they have a stream or never will. */
const settled = 4_000 // ms

for (const length of lengths) {
  inBrowsers(
    `clients of older revisions under a gateway that is away for ${length} s`,
    async (browser) => {
      const at = await setting()
      try {
        const { page, name } = await at.open(browser)
        const uri = `${name}+app://count`
        const figures = {
          v1: { back: 0, before: [0], after: [0] },
          v2: { back: 0, before: [0], after: [0] },
        }
        for (const figure of Object.values(figures)) {
          figure.before.pop()
          figure.after.pop()
        }
        for (let run = 0; run < runs; run++) {
          const clients = await Promise.all(
            (['v1', 'v2'] as const).map(async (sdk) => {
              const client = await legacy(sdk, at.gateway)
              await client.subscribe(uri)
              return { sdk, client, streams: client.streams() }
            }),
          )
          await at.kill()
          await away(page)
          await set(page, 10 * run + 1)
          await pass(length * 1000)
          const missed = clients.map(({ client }) => client.update(uri))
          await at.restart()
          await joinedAs(page)
          await Promise.all(
            clients.map(async ({ sdk, client }, i) => {
              const began = performance.now()
              await client.postUntil(missed[i] as Promise<void>)
              figures[sdk].before.push(performance.now() - began)
            }),
          )
          const changed = clients.map(({ client }) => client.update(uri))
          await set(page, 10 * run + 2)
          await Promise.all(
            clients.map(async ({ sdk, client }, i) => {
              const began = performance.now()
              await client.postUntil(changed[i] as Promise<void>)
              figures[sdk].after.push(performance.now() - began)
            }),
          )
          await pass(settled)
          for (const { sdk, client, streams } of clients) {
            if (client.streams() > streams) figures[sdk].back++
            await client.close()
          }
        }
        for (const [sdk, { back, before, after }] of Object.entries(figures)) {
          const most = (all: number[]) => `${Math.max(...all).toFixed(0)} ms`
          console.log(
            [
              'RELIABILITY',
              `gateway away for ${length} s, SDK ${sdk}, ${runs} runs: GET stream back; missed change heard, later change heard, by POSTs, at most`,
              '-',
              `${back} of ${runs}; ${most(before)}, ${most(after)}`,
            ].join('\t'),
          )
        }
      } finally {
        await at.close()
      }
    },
    { only: ['chromium'], timeout: 600_000 },
  )
}
