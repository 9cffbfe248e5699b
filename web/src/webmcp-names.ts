/** The names of tools that this page has offered to WebMCP, which `webmcp()` must not mirror. */

const offered = new Set<string>()

export function isOffered(name: string): boolean {
  return offered.has(name)
}

/** Notes a name; `false`: it was noted before. */
export function noteOffered(name: string): boolean {
  if (offered.has(name)) return false
  offered.add(name)
  return true
}

export function forgetOffered(name: string): void {
  offered.delete(name)
}
