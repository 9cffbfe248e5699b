/** A reporter of `node --test`: which files failed, and which took longest. */

interface Summary {
  type: string
  data: { file?: string; duration_ms: number; success: boolean }
}

/** How many of the slowest files are printed. */
const shown = 10

// biome-ignore lint/style/noDefaultExport: reporters are
export default async function* files(events: AsyncIterable<Summary>): AsyncGenerator<string> {
  const all: { name: string; ms: number; success: boolean }[] = []
  for await (const { type, data } of events) {
    if (type !== 'test:summary' || data.file === undefined) continue
    const name = data.file.replace(/^.*\/web\//, '')
    all.push({ name, ms: data.duration_ms, success: data.success })
  }
  const line = ({ name, ms }: { name: string; ms: number }) =>
    `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}\n`
  all.sort((a, b) => b.ms - a.ms)
  yield `slowest of ${all.length} files:\n`
  for (const one of all.slice(0, shown)) yield line(one)
  yield line({ name: 'all', ms: all.reduce((sum, { ms }) => sum + ms, 0) })
  const failed = all.filter(({ success }) => !success)
  if (failed.length > 0) yield `failed files:\n${failed.map(({ name }) => `${name}\n`).join('')}`
}
