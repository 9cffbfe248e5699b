/** The mode size: what an app ships, in KB of 1,000 bytes. */

import type { Section } from './report.ts'
import type { Site } from './site.ts'

/** Files of the site, by what they are. */
const sized: { readonly [row: string]: string } = {
  'app with start and connect': '/app/size-start.js',
  'app with connectTo alone': '/app/size-connectTo.js',
  'index.js, whole': '/pagemcp/index.js',
  'worker.js': '/pagemcp/worker.js',
  'engine.wasm': '/pagemcp/engine.wasm',
  'start-up page of ts1': '/app/ts1.js',
  'start-up page of ts2': '/app/ts2.js',
}

const sources = ['idb', 'page', 'storage', 'tabs'] as const

export function measureSizes(site: Site): Section {
  const inKB = (path: string) => {
    const { raw, gzip, brotli } = site.sizes(path)
    return { raw: raw / 1_000, gzip: gzip / 1_000, brotli: brotli / 1_000 }
  }
  const base = inKB('/app/size-start.js')
  const added = sources.map((source) => {
    const { raw, gzip, brotli } = inKB(`/app/size-${source}.js`)
    const rest = { raw: raw - base.raw, gzip: gzip - base.gzip, brotli: brotli - base.brotli }
    return { workload: `added by ${source}`, rounds: [rest] }
  })
  const files = Object.entries(sized).map(([workload, path]) => ({
    workload,
    rounds: [inKB(path)],
  }))
  return { name: 'size', unit: 'KB', rows: [...files, ...added] }
}
