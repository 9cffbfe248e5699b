/** Redaction of URLs and form fields by the rules of secrets.ts, as pure functions. */

import { isSecretName, isSecretValue } from './secrets.ts'

/** Replaces a redacted part of a URL or value. */
export const redacted = 'redacted'

/** How many levels of URLs within URLs are redacted; deeper ones are removed. */
const maxNesting = 3

/**
 * A URL without its secrets: user name and password are removed; values in query and fragment become
 * `redacted` if their name ({@link isSecretName}) or they themselves ({@link isSecretValue}) are
 * secret, and so do such segments and parameters of the path; URLs within values are treated the same.
 * Of `data:` and `javascript:` URLs the scheme remains, and nothing of what cannot be parsed.
 *
 * @param url - absolute, or a reference such as `?code=1`
 * @returns the very same string if there is nothing to take out
 */
export function redactUrl(url: string): string {
  return redactNested(url, 0)
}

function redactNested(url: string, depth: number): string {
  // Parsers ignore tabs and line breaks everywhere, and blanks around: they must not hide a secret.
  const clean = url.replace(/[\t\n\r]/g, '').replace(/^\s+|\s+$/g, '')
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(clean)?.[1]?.toLowerCase()
  if (scheme === 'data' || scheme === 'javascript' || scheme === 'vbscript') {
    return `${scheme}:${redacted}`
  }
  if (scheme !== undefined && !URL.canParse(clean)) return redacted
  const [, before = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(clean) ?? []
  const whole =
    redactPath(withoutUser(before, scheme)) +
    (query === undefined ? '' : `?${redactPairs(query, depth)}`) +
    (fragment === undefined ? '' : `#${redactFragment(fragment, depth)}`)
  return whole === clean ? url : whole
}

/** Nothing up to the last `@` of the authority. */
function withoutUser(before: string, scheme: string | undefined): string {
  // Backslashes count as slashes where the URL Standard says so, and any number of them will do.
  if (scheme === undefined) return before.replace(/^([\\\/]{2,})[^\\\/]*@/, '$1')
  if (/^(?:https?|wss?|ftp)$/.test(scheme)) return before.replace(/^(\w+:[\\\/]*)[^\\\/]*@/, '$1')
  return before.replace(/^([^:]+:\/\/)[^\/]*@/, '$1')
}

function redactPath(path: string): string {
  return path
    .split('/')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';')
      const clean = parameters.map((parameter) => redactPair(parameter, maxNesting))
      return [isSecretValue(decoded(name)) ? redacted : name, ...clean].join(';')
    })
    .join('/')
}

/** Fragments of single-page apps have paths and queries of their own; those of OAuth are queries. */
function redactFragment(fragment: string, depth: number): string {
  const at = fragment.indexOf('?')
  if (at >= 0) {
    return `${redactPath(fragment.slice(0, at))}?${redactPairs(fragment.slice(at + 1), depth)}`
  }
  if (fragment.includes('=')) return redactPairs(fragment, depth)
  return redactPath(fragment)
}

function redactPairs(query: string, depth: number): string {
  return query.replace(/[^&;]+/g, (pair) => redactPair(pair, depth))
}

function redactPair(pair: string, depth: number): string {
  const at = pair.indexOf('=')
  const name = decoded(at < 0 ? '' : pair.slice(0, at))
  const value = decoded(at < 0 ? pair : pair.slice(at + 1))
  const prefix = at < 0 ? '' : pair.slice(0, at + 1)
  if (value === '') return pair
  if (isSecretName(name) || isSecretValue(value)) return `${prefix}${redacted}`
  const isUrl = value.includes('?') || value.includes('://') || value.includes('@')
  if (!isUrl && (at < 0 || !value.includes('='))) return pair
  if (depth >= maxNesting) return `${prefix}${redacted}`
  const clean = isUrl ? redactNested(value, depth + 1) : redactPairs(value, depth + 1)
  return clean === value ? pair : prefix + encodeURIComponent(clean.toWellFormed())
}

/** Without any percent-encoding, even if it was applied more than once. */
function decoded(text: string): string {
  let plain = text.replaceAll('+', ' ')
  for (let times = 0; times < maxDecodings && plain.includes('%'); times++) {
    try {
      plain = decodeURIComponent(plain)
    } catch {
      break // not UTF-8, or a percent sign: as it stands
    }
  }
  return plain
}

/** How often a value may have been percent-encoded. */
const maxDecodings = 4

/** Fields that browsers fill in with private data; HTML, autofill detail tokens. */
const privateAutofill = /^(?:cc-.+|one-time-code|current-password|new-password)$/

/**
 * Whether nothing of an element may leave: inputs of the types `password` and `hidden`, fields that
 * are for passwords, codes and cards (`autocomplete`, or a {@link isSecretName} as `name` or `id`), and
 * whatever has the attribute `data-mcp-private`, with all that is in it, shadow trees too.
 */
export function isPrivateElement(element: Element): boolean {
  let node: Node | null = element
  while (node !== null) {
    if (node instanceof Element && Element.prototype.hasAttribute.call(node, 'data-mcp-private')) {
      return true
    }
    // A form's own properties may be its fields: a field named parentNode must not hide anything.
    const parent = Reflect.get(Node.prototype, 'parentNode', node) as Node | null
    node = parent ?? (node instanceof ShadowRoot ? node.host : null)
  }
  return isPrivateField(element)
}

/** The same for a field by itself, wherever it stands. */
export function isPrivateField(element: Element): boolean {
  const attribute = (name: string) => Element.prototype.getAttribute.call(element, name) ?? ''
  const tag =
    element instanceof HTMLElement ? Reflect.get(Element.prototype, 'localName', element) : ''
  if (tag !== 'input' && tag !== 'textarea' && tag !== 'select') return false
  const type = attribute('type').trim().toLowerCase()
  if (tag === 'input' && (type === 'password' || type === 'hidden')) return true
  const tokens = attribute('autocomplete').toLowerCase().split(/\s+/)
  if (tokens.some((token) => privateAutofill.test(token))) return true
  return isSecretName(attribute('name')) || isSecretName(attribute('id'))
}
