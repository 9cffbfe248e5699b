/**
 * The registrations of the web app, as the engine's thread stores them for the next program.
 */

import type { PromptDescription } from './prompt.ts'
import type { CacheHints, Json, Resource, Template } from './source.ts'
import type { ToolDescription } from './tool.ts'

/** Hints as the protocol has them. */
export interface WireCacheHints {
  ttlMs?: number
  cacheScope?: 'private' | 'public'
}

export function wireCacheHints(cache: CacheHints | undefined): WireCacheHints | undefined {
  return cache && { ttlMs: cache.ttlMs, cacheScope: cache.scope }
}

/** Members of a description that the engine gets and clients do not see. */
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
  skills?: SkillEntry[]
}

/** The entry of a skill, as `skills/list` has it; its files are resources of the same batch. */
export interface SkillEntry {
  /** Of its SKILL.md. */
  uri: string
  /** Of that file. */
  frontmatter: Record<string, Json>
  resources: { uri: string; digest: string; size: number }[] | 'dynamic'
}

/** The effects of adding or removing a batch, for the engine. */
export interface Change {
  /** Descriptions that are served from now on, each under its number. */
  readonly register: readonly { first: number; text: string }[]
  /** Names that are no longer served; JSON. */
  readonly unregister?: string
  /** URIs of resources whose content now comes from another registration. */
  readonly changed: readonly string[]
}

export interface Registry {
  /**
   * Everything, in the order of registration: the JSON text of each batch, under its number. A program
   * that registers all of it in this order serves the same as the one before.
   */
  all(): Iterable<{ first: number; text: string }>
  /** Adds a batch: it is served instead of earlier registrations of the same names. */
  add(first: number, added: Descriptions): Change
  /** Removes a batch: of each name, the latest registration that is left is served. */
  remove(first: number): Change | undefined
  /** How many descriptions a batch has; 0: it is unknown. */
  count(first: number): number
  /** Whether the resource is the registration with this number, and no later one. */
  serves(uri: string, ref: number): boolean
}

/** Kinds of names, and what the engine's `unregister` calls them; the same name may be one of each. */
const kinds = [
  ['resources', 'uris'],
  ['templates', 'templates'],
  ['prompts', 'prompts'],
  ['tools', 'tools'],
  ['skills', 'skills'],
] as const
type Kind = (typeof kinds)[number][0]
type List = (typeof kinds)[number][1]

/** One description of a batch. */
interface Registration {
  /** The number of its batch plus its index there. */
  readonly ref: number
  readonly kind: Kind
  readonly description: object
  /** The registration of this name that is served after this one is removed. */
  under: Registration | undefined
}

export function registry(): Registry {
  const batches = new Map<number, Descriptions>()
  const served = new Map<string, Registration>() // by kind and name

  return {
    *all() {
      for (const [first, batch] of batches) yield { first, text: JSON.stringify(batch) }
    },
    add(first, added) {
      batches.set(first, added)
      const changed: string[] = []
      for (const { ref, kind, key, name, description } of each(first, added)) {
        const under = served.get(key)
        served.set(key, { ref, kind, description, under })
        if (under && kind === 'resources') changed.push(name)
      }
      return { register: [{ first, text: JSON.stringify(added) }], changed }
    },
    remove(first) {
      const batch = batches.get(first)
      if (batch === undefined) return undefined
      batches.delete(first)
      const gone = { uris: [], templates: [], prompts: [], tools: [], skills: [] } as Record<
        List,
        string[]
      >
      const restored: { name: string; next: Registration }[] = []
      for (const { ref, list, key, name } of each(first, batch)) {
        const top = served.get(key)
        if (top === undefined) continue
        if (top.ref !== ref) {
          unlink(top, ref)
        } else if (top.under) {
          served.set(key, top.under)
          restored.push({ name, next: top.under })
        } else {
          served.delete(key)
          gone[list].push(name)
        }
      }
      return {
        register: restored.map(({ next: { ref, kind, description } }) => ({
          first: ref,
          text: JSON.stringify({ [kind]: [description] }),
        })),
        unregister: JSON.stringify(gone),
        changed: restored.filter(({ next }) => next.kind === 'resources').map(({ name }) => name),
      }
    },
    count(first) {
      const batch = batches.get(first)
      return kinds.reduce((sum, [kind]) => sum + (batch?.[kind]?.length ?? 0), 0)
    },
    serves: (uri, ref) => served.get(`resources${uri}`)?.ref === ref,
  }
}

/** Takes a registration out from below the one that is served. */
function unlink(top: Registration, ref: number) {
  for (let at = top; at.under; at = at.under) {
    if (at.under.ref === ref) {
      at.under = at.under.under
      return
    }
  }
}

/** The descriptions of a batch, numbered as the engine numbers them. */
function* each(first: number, batch: Descriptions) {
  let ref = first
  for (const [kind, list] of kinds) {
    for (const description of batch[kind] ?? []) {
      const name = nameOf(description)
      yield { ref: ref++, kind, list, name, key: kind + name, description }
    }
  }
}

function nameOf(description: object): string {
  const { uri, uriTemplate, name } = description as Record<string, string>
  return uri ?? uriTemplate ?? String(name)
}
