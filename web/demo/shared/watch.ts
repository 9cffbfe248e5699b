/**
 * The way from a demo to the playground that observes it: `playground/?watch=notes`. A link alone makes the playground
 * connect to nothing; it connects at once only if a page of its own origin has noted, in localStorage, that the user
 * has just asked for this. playground/connections/watch-page.ts reads the note.
 */

const key = 'pagemcp.playground.watch'

/** Notes that the user follows the link to observe `page`. */
export function noteWatch(page: string): void {
  try {
    localStorage.setItem(key, JSON.stringify({ page, at: Date.now() }))
  } catch {
    // no storage: the playground asks the user
  }
}
