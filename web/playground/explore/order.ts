/** Search, filter, order and tree of the list of resources. Pure functions. */

import type { Resource } from '../connections/catalogue.ts'

export const orders = ['server', 'name', 'uri', 'priority', 'modified', 'size'] as const
export type Order = (typeof orders)[number]

export interface ListOptions {
  /** Words that must all be in name, title, URI, description or MIME type. */
  search: string
  /** The audience; `''`: all. A resource without an audience is for all. */
  audience: '' | 'user' | 'assistant'
  order: Order
}

/** What the search looks at, of resources, templates, prompts and tools. */
export interface Searched {
  name: string
  title?: string
  uri?: string
  uriTemplate?: string
  description?: string
  mimeType?: string
}

/** The items that have all words of the search. */
export function matching<T extends Searched>(all: readonly T[], search: string): T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter(({ name, title, uri, uriTemplate, description, mimeType }) => {
    const text = [name, title, uri, uriTemplate, description, mimeType].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Schemes of the sources of the package: their templates are those of any database, tab or file. */
const ofSources = /^([a-z0-9-]+\+)?(idb|tab|page|storage):/

/**
 * Templates that an app has made itself, which come first, and those of each source, by its scheme. At a gateway, which
 * adds none, both begin with the name of the page: `notes+`, `notes+idb:`.
 */
export function byOrigin<T extends Searched>(all: readonly T[]): [string, T[]][] {
  const groups = Map.groupBy(
    all,
    ({ uriTemplate = '' }) =>
      ofSources.exec(uriTemplate)?.[0] ?? /^[a-z0-9-]+\+/.exec(uriTemplate)?.[0] ?? '',
  )
  return [...groups].sort(([a], [b]) => Number(a.endsWith(':')) - Number(b.endsWith(':')))
}

/** The matching resources in the chosen order. Does not change the server's list. */
export function filterAndSort(
  all: readonly Resource[],
  { search, audience, order }: ListOptions,
): Resource[] {
  const found = matching(all, search).filter(({ annotations }) => {
    const meant = annotations?.audience
    return audience === '' || !Array.isArray(meant) || meant.includes(audience)
  })
  const text = (a: string, b: string) => a.localeCompare(b)
  const most = (a: unknown, b: unknown) => (Number(b) || 0) - (Number(a) || 0)
  switch (order) {
    case 'name':
      return found.sort((a, b) => text(a.title ?? a.name, b.title ?? b.name))
    case 'uri':
      return found.sort((a, b) => text(a.uri, b.uri))
    case 'priority':
      return found.sort((a, b) => most(a.annotations?.priority, b.annotations?.priority))
    case 'modified':
      return found.sort((a, b) =>
        most(
          Date.parse(a.annotations?.lastModified ?? ''),
          Date.parse(b.annotations?.lastModified ?? ''),
        ),
      )
    case 'size':
      return found.sort((a, b) => most(a.size, b.size))
    case 'server':
      return found
  }
}

/** A branch of the tree: the prefix of its URIs, and the branches below. */
export interface Branch {
  /** The part of the URI that it adds to its parent. */
  label: string
  /** The whole prefix. */
  path: string
  resource?: Resource
  below: Branch[]
}

/** URIs by scheme, then by each `/`. A branch with a single child is joined with it. */
export function treeOf(resources: readonly Resource[]): Branch[] {
  const root: Branch = { label: '', path: '', below: [] }
  const branches = new Map<string, Branch>([['', root]])
  for (const resource of resources) {
    let above = root
    for (const label of partsOf(resource.uri)) {
      const path = above.path + label
      let branch = branches.get(path)
      if (branch === undefined) {
        branch = { label, path, below: [] }
        branches.set(path, branch)
        above.below.push(branch)
      }
      above = branch
    }
    above.resource = resource
  }
  return root.below.map(joined)
}

function partsOf(uri: string): string[] {
  const [, scheme = '', rest = uri] = /^([a-z][a-z0-9+.-]*:\/*)(.*)$/is.exec(uri) ?? []
  return [scheme, ...(rest.match(/[^/]+\/?|\/+/g) ?? [])].filter(Boolean)
}

function joined(branch: Branch): Branch {
  const [only, ...others] = branch.below
  if (branch.resource || only === undefined || others.length > 0) {
    return { ...branch, below: branch.below.map(joined) }
  }
  return joined({ ...only, label: branch.label + only.label })
}
