/**
 * Small things that stay: in localStorage where there is one, else for as long as the page is open. An
 * embedded playground keeps nothing: what it shows is another page's.
 */

import { type Signal, signal } from '@preact/signals'

/** Whether this is the playground in a frame of another page (embed.html). */
export const embedded = globalThis.document?.documentElement.dataset.embed !== undefined

const prefix = 'pagemcp.playground.'

/**
 * A value that outlives the page. It is JSON; what is stored in another shape than `fallback` has is
 * not taken over.
 */
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
      // full, or forbidden: then it lasts as long as the page
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
