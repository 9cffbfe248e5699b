/**
 * Settings in localStorage; without it, in memory. An embedded playground stores nothing, since its origin is
 * another page's.
 */

import { type Signal, signal } from '@preact/signals'

/** Whether another page embeds the playground (embed.html). */
export const embedded = globalThis.document?.documentElement.dataset.embed !== undefined

/** Whether the embedding page wants a view that only reads: there is no composer. */
export const readOnly = embedded && new URLSearchParams(location.search).has('readonly')

const prefix = 'pagemcp.playground.'

/**
 * A stored value, as JSON. A stored value whose shape differs from `fallback` is ignored.
 *
 * @param shared - it has what other windows store; otherwise they agree only at the next load
 */
export function setting<T>(name: string, fallback: T, { shared = false } = {}): Signal<T> {
  let known = read(name, fallback)
  const stored = signal(known)
  stored.subscribe((value) => {
    if (value === known || embedded) return
    known = value
    try {
      localStorage.setItem(prefix + name, JSON.stringify(value))
    } catch {
      // full or forbidden: the value lasts as long as the page
    }
  })
  if (shared && !embedded)
    globalThis.addEventListener?.('storage', ({ key }) => {
      if (key !== prefix + name) return
      known = read(name, fallback)
      stored.value = known
    })
  return stored
}

function read<T>(name: string, fallback: T): T {
  if (embedded) return fallback
  try {
    const text = localStorage.getItem(prefix + name)
    if (text === null) return fallback
    const value = JSON.parse(text) as T
    const same =
      typeof value === typeof fallback && Array.isArray(value) === Array.isArray(fallback)
    return same && value !== null ? value : fallback
  } catch {
    return fallback
  }
}
