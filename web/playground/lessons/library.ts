/** The built-in scenarios, each a file in this directory. */

import { parseScenario, type Scenario } from './scenario.ts'

/** Lessons, in order. */
export const lessonIds = [
  'assistant',
  'hello',
  'read',
  'templates',
  'completion',
  'pages',
  'subscribe',
  'wake',
  'errors',
  'prompts',
  'versions',
  'your-page',
] as const

/** Presentations: conversations of the specification, and with two clients. */
export const showIds = [
  'eras',
  'two-clients',
  'project-files',
  'many-kinds',
  'icons-and-folders',
  'first-revision',
  'agent',
] as const

/** Whether a scenario comes with the playground. */
export const builtIn = (id: string): boolean =>
  (lessonIds as readonly string[]).includes(id) || (showIds as readonly string[]).includes(id)

/** Maximum size of a user's scenario, which is read whole. */
export const maxSize = 4 << 20 // bytes

const loaded = new Map<string, Promise<Scenario>>()

/**
 * Loads a scenario by id, once.
 *
 * @throws Error if the file does not load or is invalid
 */
export function loadScenario(id: string): Promise<Scenario> {
  const known = loaded.get(id)
  if (known) return known
  const loading = load(id)
  loaded.set(id, loading)
  loading.catch(() => loaded.delete(id)) // the next call tries again
  return loading
}

async function load(id: string): Promise<Scenario> {
  const response = await fetch(new URL(`lessons/scenarios/${id}.txtar`, document.baseURI))
  if (!response.ok) throw new Error(`${id}.txtar: status ${response.status}`)
  return parseScenario(id, await response.text())
}

/**
 * Reads a scenario from a user's file.
 *
 * @throws Error with a message for the user
 */
export async function openScenario(file: File): Promise<Scenario> {
  if (file.size > maxSize) throw new Error(`${file.name}: ${file.size} > ${maxSize} bytes`)
  return parseScenario(file.name.replace(/\.txtar$/, ''), await file.text())
}
