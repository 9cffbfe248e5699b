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

/** A stored value, as JSON. A stored value whose shape differs from `fallback` is ignored. */
export function setting<T>(name: string, fallback: T): Signal<T> {
  const stored = signal(read(name, fallback))
  let first = true
  stored.subscribe((value) => {
    if (first) {
      first = false
      return
    }
    if (embedded) return
    try {
      localStorage.setItem(prefix + name, JSON.stringify(value))
    } catch {
      // full or forbidden: the value lasts as long as the page
    }
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
