/** How clients spell the URI that a template and the values of its variables stand for. */

import { UriTemplate as V2 } from '@modelcontextprotocol/client'
import { UriTemplate as V1 } from '@modelcontextprotocol/sdk/shared/uriTemplate.js'
import { expand } from '../../playground/base/expand.ts'

type Variables = Record<string, string>

/** Spellings that RFC 3986 calls equivalent, and of `! * ' ( )`. */
export const equivalent: Record<string, (template: string, variables: Variables) => string> = {
  'RFC 6570': expand,
  'SDK v1': (template, variables) => new V1(template).expand(variables),
  'SDK v2': (template, variables) => new V2(template).expand(variables),
  'lower-case hex': (template, variables) =>
    expand(template, variables).replace(/%../g, (octet) => octet.toLowerCase()),
}

/** Spellings by clients that decode a URI. */
export const decoding: typeof equivalent = {
  'VS Code': (template, variables) => throughVSCode(expand(template, variables)),
  decoded: (template, variables) => decodeURIComponent(expand(template, variables)),
}

/**
 * VS Code's way of the URI of a resource, from a list to a read: its URI class decodes path, query and fragment, and
 * the setters of URL encode some characters again.
 *
 * @see https://github.com/microsoft/vscode/issues/286541
 */
export function throughVSCode(uri: string): string {
  const parts = /^([^:\/?#]+):(?:\/\/([^\/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(uri)
  const [, scheme, authority = '', path = '', query = '', fragment = ''] = parts ?? []
  const url = new URL(`${scheme}://${decodeURIComponent(authority)}`)
  url.pathname = decodeURIComponent(path)
  url.search = decodeURIComponent(query)
  url.hash = decodeURIComponent(fragment)
  return url.toString()
}

/** A text of characters that URIs spell in several ways. */
export function oddText(next: (below: number) => number): string {
  const parts = [
    ...'aZ09~/%&!*\'()+,;=:@#?[]|\\^"<>{} \t\n\0é日',
    '😀',
    'e\u0301',
    '//',
    '%2F',
    '%25',
    '..',
    '~1',
  ]
  return Array.from({ length: 1 + next(6) }, () => parts[next(parts.length)]).join('')
}
