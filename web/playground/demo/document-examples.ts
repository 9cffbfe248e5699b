/** Example resources of the project's specification documents: files, a log, records, a screen, weather, an agent. */

import type { PageMcp } from 'pagemcp'
import { described, guess, station as known, worldOf } from '../../demo/world/world.ts'

/** Loads and serves the examples; resolves to how to remove them. */
export async function serveExamples(mcp: PageMcp): Promise<() => void> {
  const response = await fetch(new URL('demo/world.json', document.baseURI))
  if (!response.ok) throw new Error(`world.json: status ${response.status}`)
  const examples = worldOf(await response.json())
  const [files, weather] = examples.templates
  const taken = [
    mcp.resources(
      examples.all().map((thing) => [described(thing), () => examples.contentOf(thing.uri)]),
    ),
    ...(files
      ? [
          mcp.resources(files.uriTemplate, {
            ...files,
            complete: { path: examples.paths() },
            read: ({ path }) => examples.contentOf(`file:///${path}`),
          }),
        ]
      : []),
    ...(weather
      ? [
          mcp.resources(weather.uriTemplate, {
            ...weather,
            complete: { station: [known] },
            read: ({ station }) => guess(String(station)),
          }),
        ]
      : []),
    ...examples.prompts.map(({ depths, ...prompt }) =>
      mcp.prompt(
        prompt.name,
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
