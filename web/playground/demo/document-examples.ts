/** Example resources of the project's specification documents: files, a log, records, a screen, weather, an agent. */

import type { PageMcp } from 'pagemcp'
import * as examples from '../../demo/world/world.ts'

/** Serves the examples; returns how to remove them. */
export function serveExamples(mcp: PageMcp): () => void {
  const [files, weather] = examples.templates
  const taken = [
    mcp.resources(
      examples
        .all()
        .map((thing) => [examples.described(thing), () => examples.contentOf(thing.uri)]),
    ),
    ...(files
      ? [
          mcp.template({ ...files, complete: { path: examples.paths() } }, ({ path }) =>
            examples.contentOf(`file:///${path}`),
          ),
        ]
      : []),
    ...(weather
      ? [
          mcp.template({ ...weather, complete: { station: [examples.station] } }, ({ station }) =>
            examples.guess(String(station)),
          ),
        ]
      : []),
    ...examples.prompts.map(({ depths, ...prompt }) =>
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
