/** URIs of files, and the paths that are served. */

import { escapeText, unescapeText } from './idb-keys.ts'
import { wrongOption } from './options.ts'

/** The names that lead to a file or directory; empty: the root. */
export type Path = readonly string[]

export const scheme = 'opfs:///'

/** The URI of a path, without a slash at its end. */
export function uriOf(path: Path): string {
  return scheme + path.map(pathSegment).join('/')
}

/**
 * The path that a URI names, or undefined if it names none: for empty names, `.`, `..`, and names with
 * a slash or NUL in them, however they are encoded.
 */
export function pathOf(uri: string): Path | undefined {
  if (!uri.startsWith(scheme) || /[?#]/.test(uri)) return undefined
  const rest = uri.slice(scheme.length)
  if (rest === '') return []
  try {
    const path = rest.split('/').map((segment) => unescapeText(decodeURIComponent(segment)))
    return path.every(isName) ? path : undefined
  } catch {
    return undefined // not UTF-8
  }
}

/** Whether a name is allowed. A backslash separates names in some systems. */
function isName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL ends names in some systems
  return name !== '' && name !== '.' && name !== '..' && !/[\u0000\/\\]/.test(name)
}

/** A path as the variable `path` has it, whose names have {@link escapeText}'s escapes. */
export function variableOf(path: Path): string {
  return path.map(escapeText).join('/')
}

/**
 * Percent-encodes what cannot stand in a path's segment (RFC 3986): of names without `?`, `#`,
 * `[` and `]` that is what RFC 6570 makes of `{+path}`. A name has {@link escapeText}'s escapes.
 */
function pathSegment(name: string): string {
  return encodeURIComponent(escapeText(name)).replace(/%(?:2[46BC]|3[ABD]|40)/g, decodeURIComponent)
}

/**
 * Reads the option `paths`: absolute paths without an end in a slash, except `/`, the whole.
 *
 * @throws TypeError for anything else, or none at all
 */
export function servedPaths(paths: unknown): Path[] {
  if (!Array.isArray(paths) || paths.length === 0) {
    throw wrongOption('opfs', 'paths', "an array of paths such as ['/docs']", paths)
  }
  const all = paths.map((one: unknown) => {
    const path = one === '/' ? [] : String(one).split('/').slice(1)
    if (typeof one !== 'string' || !one.startsWith('/') || !path.every(isName)) {
      throw wrongOption('opfs', 'a path', 'absolute, such as /docs', one)
    }
    return path
  })
  const covering: Path[] = []
  for (const path of all.sort(comparePaths)) {
    const last = covering.at(-1) // a directory comes before what is in it, which it serves already
    if (last === undefined || !contains(last, path)) covering.push(path)
  }
  return covering
}

/** Whether `inner` is `outer`, or below it. */
export function contains(outer: Path, inner: Path): boolean {
  return outer.length <= inner.length && outer.every((name, i) => name === inner[i])
}

/** Orders by names: a directory comes before its content. */
export function comparePaths(a: Path, b: Path): number {
  for (const [i, name] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    if (name !== other) return name < other ? -1 : 1
  }
  return a.length - b.length
}
