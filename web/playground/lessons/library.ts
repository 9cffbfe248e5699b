/** The scenarios that come with the playground, each a file beside it. */

import { parseScenario, type Scenario } from './scenario.ts'

/** Those that teach, in their order. */
export const lessonIds = [
  'hello',
  'read',
  'templates',
  'completion',
  'pages',
  'subscribe',
  'errors',
  'prompts',
  'versions',
  'your-page',
] as const

/** Those that show: the conversations of the specification's documents, and what takes two clients. */
export const showIds = [
  'eras',
  'two-clients',
  'project-files',
  'many-kinds',
  'icons-and-folders',
  'first-revision',
  'agent',
] as const

/** How large a scenario of somebody's own may be: it is read whole. */
export const maxSize = 4 << 20 // bytes

const loaded = new Map<string, Promise<Scenario>>()

/**
 * Loads a scenario by its id, once.
 *
 * @throws Error if the file does not load or is none
 */
export function loadScenario(id: string): Promise<Scenario> {
  const known = loaded.get(id)
  if (known) return known
  const loading = load(id)
  loaded.set(id, loading)
  loading.catch(() => loaded.delete(id)) // the next one may have more luck
  return loading
}

async function load(id: string): Promise<Scenario> {
  const response = await fetch(new URL(`lessons/scenarios/${id}.txtar`, document.baseURI))
  if (!response.ok) throw new Error(`${id}.txtar: status ${response.status}`)
  return parseScenario(id, await response.text())
}

/**
 * Reads a scenario from a file of somebody's own.
 *
 * @throws Error in words for people
 */
export async function openScenario(file: File): Promise<Scenario> {
  if (file.size > maxSize) throw new Error(`${file.name}: ${file.size} > ${maxSize} bytes`)
  return parseScenario(file.name.replace(/\.txtar$/, ''), await file.text())
}
