/**
 * Compares a message with a pattern: an object must have at least the pattern's members, an array exactly its
 * items. `"$any"` matches any value, and another string `"$name"` any value at first and then the same one.
 */

/** The first difference. */
export interface Difference {
  /** The path, such as `params.uri`; `''`: the whole value. */
  path: string
  /** The expected value. */
  want: unknown
  /** The actual value; undefined: missing. */
  got: unknown
}

/** Values of names. */
export type Bindings = Map<string, unknown>

/** Undefined if `got` matches `want`; only then new names are added to `memory`. */
export function difference(want: unknown, got: unknown, memory: Bindings): Difference | undefined {
  const learned: Bindings = new Map()
  const found = compare(want, got, '', memory, learned)
  if (found === undefined) for (const [name, value] of learned) memory.set(name, value)
  return found
}

function compare(
  want: unknown,
  got: unknown,
  path: string,
  known: Bindings,
  learned: Bindings,
): Difference | undefined {
  if (isName(want)) {
    if (want === '$any') return got === undefined ? { path, want, got } : undefined
    const value = known.get(want) ?? learned.get(want)
    if (value !== undefined) return compare(value, got, path, new Map(), new Map())
    if (got === undefined) return { path, want, got }
    learned.set(want, got)
    return undefined
  }
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) return { path, want, got }
    for (const [i, item] of want.entries()) {
      const found = compare(item, got[i], `${path}[${i}]`, known, learned)
      if (found) return found
    }
    return undefined
  }
  if (typeof want === 'object' && want !== null) {
    if (typeof got !== 'object' || got === null || Array.isArray(got)) return { path, want, got }
    for (const [name, value] of Object.entries(want)) {
      const own = Object.hasOwn(got, name) ? (got as Record<string, unknown>)[name] : undefined
      const found = compare(value, own, path === '' ? name : `${path}.${name}`, known, learned)
      if (found) return found
    }
    return undefined
  }
  return want === got ? undefined : { path, want, got }
}

/** Substitutes known names; others stay. */
export function substitute(pattern: unknown, memory: Bindings): unknown {
  if (isName(pattern)) return memory.get(pattern) ?? pattern
  if (Array.isArray(pattern)) return pattern.map((item) => substitute(item, memory))
  if (typeof pattern !== 'object' || pattern === null) return pattern
  return Object.fromEntries(
    Object.entries(pattern).map(([name, value]) => [name, substitute(value, memory)]),
  )
}

/** Whether a pattern contains `"$any"` or a name. */
export function isOpen(pattern: unknown): boolean {
  if (pattern === '$any') return true
  if (typeof pattern !== 'object' || pattern === null) return false
  return Object.values(pattern).some(isOpen)
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^\$[A-Za-z]/.test(value)
