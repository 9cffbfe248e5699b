/**
 * The registrations of the web app, in the window: descriptions, and what answers for each. An engine gets all of them
 * when it starts, and each change after that.
 */

import type { RegisteredCallee } from './callee.ts'
import type { ReadRequest, Ready, Value } from './contents.ts'
import type { CacheHints, Json, Resource, Template } from './source.ts'
import type { PromptDescription, ToolDescription } from './tool.ts'

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

/** Reads a resource that the web app has registered; {@link provided} accepts its answer. */
export type AnyProvider = (request: ReadRequest) => unknown

/** What answers for a description. */
export interface Behind {
  readonly read?: AnyProvider
  /** A published value; without content, reads answer "not found". */
  readonly value?: { readonly ready: Ready | undefined }
  readonly callee?: RegisteredCallee
}

/** The effects of adding or removing registrations, for an engine. */
export interface Change {
  /** Values by the number of their registration. */
  readonly values?: readonly (readonly [ref: number, ready: Ready | undefined])[]
  /** Descriptions that are served from now on, each batch under the number of its first one; JSON. */
  readonly register?: readonly { readonly first: number; readonly text: string }[]
  /** Names that are no longer served; JSON. */
  readonly unregister?: string
  /** Numbers that are free, from `first` on. */
  readonly forget?: { readonly first: number; readonly count: number }
  /** URIs of resources whose content now comes from another registration. */
  readonly changed?: readonly string[]
}

export interface Registry {
  /**
   * Adds descriptions, which are served instead of earlier ones of the same names; the one with index i, resources
   * first, then templates, prompts, tools, skills, has the number of the batch plus i.
   *
   * @param isKept - values stay in the window
   * @returns the number of the batch
   */
  add(added: Descriptions, behind: readonly Behind[], isKept: boolean): number
  /** Removes a batch: of each name, the latest registration that is left is served. */
  remove(first: number): void
  /** Replaces a published value. Without effect after its removal. */
  set(ref: number, uri: string, ready: Ready | undefined): void
  /** What answers for the registration with this number. */
  at(ref: number): Behind | undefined
  /** What answers for the tool that is served under a name. */
  tool(name: string): Behind | undefined
  /** The tools that are served, as clients see them. */
  tools(): ToolDescription[]
  /** Calls a function after each change of these; returns what ends that. */
  watchTools(changed: () => void): () => void
  /** Everything, in the order of registration: an engine that gets it serves the same as the one before. */
  all(): Change
}

/** Where changes go: to the engine, if one runs. */
export interface RegistryHost {
  apply(change: Change): void
  /** `isServed`: whether the resource is the registration with this number, and no later one. */
  publish(value: { ref: number; uri: string; ready: Ready | undefined; isServed: boolean }): void
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

interface Batch {
  readonly text: string
  readonly names: readonly (readonly [kind: Kind, list: List, name: string])[]
}

export function registry(host: RegistryHost): Registry {
  const batches = new Map<number, Batch>()
  const behinds: (Behind | undefined)[] = [] // by number: used by each read
  const values = new Map<number, Ready | undefined>() // of the engine, for the next one
  const served = new Map<string, number[]>() // numbers by kind and name, the one that is served last
  const watchers = new Set<() => void>() // of tools
  let last = 0

  const told = (names: Batch['names']) => {
    if (names.some(([kind]) => kind === 'tools')) for (const one of [...watchers]) one()
  }
  /** The text of one description, as the batch of itself. */
  const textOf = (ref: number): string => {
    const [first, { text, names }] = [...batches].findLast(([first]) => first <= ref) as [
      number,
      Batch,
    ]
    const [kind] = names[ref - first] as Batch['names'][number]
    const before = names.findIndex((one) => one[0] === kind)
    const descriptions = (JSON.parse(text) as Record<Kind, object[]>)[kind]
    return JSON.stringify({ [kind]: [descriptions[ref - first - before]] })
  }

  return {
    add(added, behind, isKept) {
      const first = last + 1
      const text = JSON.stringify(added)
      const names = kinds.flatMap(([kind, list]) =>
        (added[kind] ?? []).map((one) => [kind, list, nameOf(one)] as const),
      )
      const moving = behind.flatMap(({ value }, i) =>
        value && !isKept ? [[first + i, value.ready] as const] : [],
      )
      const copies = moving.map(([ref, ready]) => [ref, copyOf(ready)] as const)
      const changed = names.flatMap(([kind, , name]) =>
        kind === 'resources' && served.has(kind + name) ? name : [],
      )
      host.apply({ values: moving, register: [{ first, text }], changed })
      last += names.length
      batches.set(first, { text, names })
      for (const [i, one] of behind.entries()) behinds[first + i] = one
      for (const [ref, copy] of copies) values.set(ref, copy)
      for (const [i, [kind, , name]] of names.entries()) {
        const refs = served.get(kind + name)
        if (refs) refs.push(first + i)
        else served.set(kind + name, [first + i])
      }
      told(names)
      return first
    },
    remove(first) {
      const batch = batches.get(first)
      if (batch === undefined) return
      const { names } = batch
      const gone = Object.fromEntries(kinds.map(([, list]) => [list, [] as string[]]))
      const register: { first: number; text: string }[] = []
      const changed: string[] = []
      for (const [i, [kind, list, name]] of names.entries()) {
        const ref = first + i
        behinds[ref] = undefined
        values.delete(ref)
        const refs = served.get(kind + name) ?? []
        const wasServed = refs.at(-1) === ref
        refs.splice(refs.indexOf(ref), 1)
        const next = refs.at(-1)
        if (next === undefined) {
          served.delete(kind + name)
          gone[list]?.push(name)
        } else if (wasServed) {
          register.push({ first: next, text: textOf(next) })
          if (kind === 'resources') changed.push(name)
        }
      }
      batches.delete(first)
      const forget = { first, count: names.length }
      host.apply({ forget, register, unregister: JSON.stringify(gone), changed })
      told(names)
    },
    set(ref, uri, ready) {
      const own = behinds[ref]
      if (own === undefined) return
      const isServed = served.get(`resources${uri}`)?.at(-1) === ref
      if (values.has(ref)) {
        const copy = copyOf(ready)
        host.publish({ ref, uri, ready, isServed })
        values.set(ref, copy)
        return
      }
      behinds[ref] = { value: { ready } } // it is kept here
      if (isServed && !isSameText(own.value?.ready, ready)) host.apply({ changed: [uri] })
    },
    at: (ref) => behinds[ref],
    tool: (name) => behinds[served.get(`tools${name}`)?.at(-1) ?? 0],
    tools: () =>
      [...served].flatMap(([key, refs]) =>
        key.startsWith('tools') ? JSON.parse(textOf(refs.at(-1) as number)).tools : [],
      ),
    watchTools(changed) {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    all: () => ({
      values: [...values],
      register: [...batches].map(([first, { text }]) => ({ first, text })),
    }),
  }
}

function nameOf(description: object): string {
  const { uri, uriTemplate, name } = description as Record<string, string>
  return uri ?? uriTemplate ?? String(name)
}

/** A value for the next engine: bytes, which the app may change, are copied. */
function copyOf(ready: Ready | undefined): Ready | undefined {
  if (ready === undefined || typeof ready.value === 'string') return ready
  const { value, mimeType } = ready
  const copy = (bytes: Value) =>
    typeof bytes === 'string' || bytes instanceof Blob ? bytes : new Blob([bytes])
  const copied = Array.isArray(value)
    ? value.map((part) => ({ ...part, value: copy(part.value) }))
    : copy(value)
  return { value: copied, ...(mimeType !== undefined && { mimeType }) }
}

function isSameText(one: Ready | undefined, other: Ready | undefined): boolean {
  const text = one?.value
  return typeof text === 'string' && text === other?.value && one?.mimeType === other?.mimeType
}
