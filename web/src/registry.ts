/**
 * What the web app has registered, as the engine's thread remembers it for the program that may come
 * after this one.
 */

import type { PromptDescription } from './prompt.ts'
import type { CacheHints, Resource, Template } from './source.ts'
import type { ToolDescription } from './tool.ts'

/** Hints as the protocol has them. */
export interface WireCacheHints {
  ttlMs?: number
  cacheScope?: 'private' | 'public'
}

export function wireCacheHints(cache: CacheHints | undefined): WireCacheHints | undefined {
  return cache && { ttlMs: cache.ttlMs, cacheScope: cache.scope }
}

/** What the engine is told of a description besides what clients see. */
interface Aside {
  cacheHints?: WireCacheHints
  /** Which arguments, or variables, have completions. */
  completes?: string[]
}

/** Descriptions that are registered together. */
export interface Descriptions {
  resources?: (Resource & Aside)[]
  templates?: (Template & Aside)[]
  prompts?: (PromptDescription & Aside)[]
  tools?: ToolDescription[]
}

export interface Registry {
  /** Everything, in the order in which it came: the JSON text of each batch, under its number. */
  all(): Iterable<{ first: number; text: string }>
  /** What of that is to be taken away again: it was replaced by what is gone since. */
  orphans(): string
  /** @returns what the engine is told */
  add(first: number, added: Descriptions): string
  /** Forgets a batch. @returns what the engine is told: all of it that was not replaced since */
  remove(first: number): string | undefined
}

/** Kinds of names; the same name may be one of each. */
const kinds = ['uris', 'templates', 'prompts', 'tools'] as const
type Names = Record<(typeof kinds)[number], string[]>

export function registry(): Registry {
  const batches = new Map<number, Descriptions>()
  const owners = new Map<string, number>() // kind and name, to `first`

  return {
    *all() {
      for (const [first, batch] of batches) yield { first, text: JSON.stringify(batch) }
    },
    orphans() {
      const all = [...batches.values()].map(namesOf)
      return JSON.stringify(
        Object.fromEntries(
          kinds.map((kind) => [
            kind,
            all.flatMap((names) => names[kind].filter((name) => !owners.has(kind + name))),
          ]),
        ),
      )
    },
    add(first, added) {
      batches.set(first, added)
      const names = namesOf(added)
      for (const kind of kinds) for (const name of names[kind]) owners.set(kind + name, first)
      return JSON.stringify(added)
    },
    remove(first) {
      const batch = batches.get(first)
      if (batch === undefined) return undefined
      batches.delete(first)
      const names = namesOf(batch)
      for (const kind of kinds) {
        names[kind] = names[kind].filter((name) => {
          return owners.get(kind + name) === first && owners.delete(kind + name)
        })
      }
      return JSON.stringify(names)
    },
  }
}

function namesOf({
  resources = [],
  templates = [],
  prompts = [],
  tools = [],
}: Descriptions): Names {
  return {
    uris: resources.map(({ uri }) => uri),
    templates: templates.map(({ uriTemplate }) => uriTemplate),
    prompts: prompts.map(({ name }) => name),
    tools: tools.map(({ name }) => name),
  }
}
