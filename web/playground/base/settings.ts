/**
 * Settings in localStorage; without it, in memory. An embedded playground stores nothing, since its origin is
 * another page's.
 */

import { type Signal, signal } from '@preact/signals'
import type { ExploreView } from './state.ts'

/** Whether another page embeds the playground (embed.html). */
export const embedded = globalThis.document?.documentElement.dataset.embed !== undefined

/** Whether the embedding page wants a view that only reads: there is no composer. */
export const readOnly = embedded && new URLSearchParams(location.search).has('readonly')

const prefix = 'pagemcp.playground.'

/**
 * A stored value, as JSON. A stored value whose shape differs from `fallback` is ignored; of a record that holds for
 * each member, and only changed ones are written.
 *
 * @param shared - what it becomes when another window stores something; default: windows agree only at the next load
 */
export function setting<T>(
  name: string,
  fallback: T,
  shared?: (theirs: T, own: T) => T,
): Signal<T> {
  let known = read(name, fallback)
  const stored = signal(known)
  stored.subscribe((value) => {
    if (value === known || embedded) return
    const written = isRecord(value)
      ? { ...read(name, fallback), ...changes(known as object, value) }
      : value
    known = value
    try {
      localStorage.setItem(prefix + name, JSON.stringify(written))
    } catch {
      // full or forbidden: the value lasts as long as the page
    }
  })
  if (shared && !embedded)
    globalThis.addEventListener?.('storage', ({ key }) => {
      if (key !== prefix + name) return
      known = shared(read(name, fallback), stored.peek())
      stored.value = known
    })
  return stored
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const changes = (before: object, after: object): object =>
  Object.fromEntries(Object.entries(after).filter(([key, value]) => before[key as never] !== value))

/** What is stored, as far as it has the shape of `fallback`. */
function read<T>(name: string, fallback: T): T {
  if (embedded) return fallback
  try {
    const text = localStorage.getItem(prefix + name)
    return text === null ? fallback : (shaped(JSON.parse(text), fallback) as T)
  } catch {
    return fallback
  }
}

function shaped(value: unknown, fallback: unknown): unknown {
  if (value === null || typeof value !== typeof fallback) return fallback
  if (Array.isArray(value) !== Array.isArray(fallback)) return fallback
  if (!isRecord(fallback)) return value
  const own = Object.entries(fallback).map(([key, one]) => [
    key,
    shaped((value as Record<string, unknown>)[key] ?? one, one),
  ])
  return { ...(value as object), ...Object.fromEntries(own) }
}

/** The language that the user chose; `''`: that of the browser. The demos have the same. */
export const chosenLocale = setting('locale', '')

/** What the user chose in the playground, and what it remembers. Theme and language are those of the whole site. */
const defaults = {
  /** Whether composer and inspector are open: on the first visit, once there is something to compose or to inspect. */
  bench: embedded,
  /** The view of Explore. */
  view: 'stage' as ExploreView,
  /** Sizes of panes: widths in px, the timeline's height in percent. */
  sizes: { explore: 420, inspect: 400, timeline: 38 },
  /** Times of rows: the time of day, or since the first row. */
  clock: 'wall' as 'wall' | 'start',
  /** Whether the explanation of a message is open. */
  explaining: true,
  /** Whether the options of the demo's simulation are shown. */
  simulation: false,
  /** Whether single letters are shortcuts. Users of speech input switch them off (WCAG 2.1.4). */
  singleKeys: true,
  /** How often each command was chosen in the palette, by id. */
  used: {} as Readonly<Record<string, number>>,
  /** Whether this profile has seen the introduction. */
  introduced: false,
  /** Number of played steps of lessons that were begun and not completed, by id. */
  reached: {} as Readonly<Record<string, number>>,
  /** Ids of completed lessons. */
  done: [] as readonly string[],
  /** Servers that the user has connected to, newest first; connections/servers.ts. */
  servers: [] as readonly { kind: 'http' | 'ws' | 'frame'; url: string; name?: string }[],
  /** Hosts that the user has confirmed; connections/consent.ts. */
  hosts: [] as readonly string[],
}

export type Settings = typeof defaults

/** In all windows at once are only lists that several of them add to. */
export const settings = setting<Settings>(
  'settings',
  defaults,
  ({ done, servers, hosts }, own) => ({
    ...own,
    done,
    servers,
    hosts,
  }),
)

export function change(some: Partial<Settings>): void {
  settings.value = { ...settings.peek(), ...some }
}

export const defaultSizes = defaults.sizes
