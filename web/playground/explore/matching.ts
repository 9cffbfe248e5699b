/** Search and filter of lists. Pure functions. */

import type { Resource } from '../connections/catalogue.ts'

/** `''`: all. */
export type Audience = '' | 'user' | 'assistant'

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

/** The resources that have all words of the search and are meant for an audience; those without one are for all. */
export const matchingFor = (
  all: readonly Resource[],
  search: string,
  audience: Audience,
): Resource[] =>
  matching(all, search).filter(({ annotations }) => {
    const meant = annotations?.audience
    return audience === '' || !Array.isArray(meant) || meant.includes(audience)
  })
