/** The worlds of the documents that the project was started from: files, a log, records, a screen, the weather, an agent. */

import type { PageMcp } from 'pagemcp'
import * as seeds from '../../demo/world/world.ts'

/** Serves them; returns how to take them out again. */
export function serveSeeds(mcp: PageMcp): () => void {
  const [files, weather] = seeds.templates
  const taken = [
    mcp.resources(
      seeds.all().map((thing) => [seeds.described(thing), () => seeds.contentOf(thing.uri)]),
    ),
    ...(files
      ? [
          mcp.template({ ...files, complete: { path: seeds.paths() } }, ({ path }) =>
            seeds.contentOf(`file:///${path}`),
          ),
        ]
      : []),
    ...(weather
      ? [
          mcp.template({ ...weather, complete: { station: [seeds.station] } }, ({ station }) =>
            seeds.guess(String(station)),
          ),
        ]
      : []),
    ...seeds.prompts.map(({ depths, ...prompt }) =>
      mcp.prompt(
        { ...prompt, complete: { depth: Object.keys(depths) } },
        ({ topic = '', depth = 'standard' }) =>
          ((depths as Record<string, string>)[depth] ?? depths.standard).replace(
            '{topic}',
            () => topic,
          ),
      ),
    ),
  ]
  return () => {
    for (const take of taken) take()
  }
}
