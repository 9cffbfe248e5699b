/** What a URI template still needs, and what it is so far. Expansion is the engine's own rules (RFC 6570). */

import { expand } from 'pagemcp'

/** What people have typed, by variable. */
export interface Values {
  readonly [variable: string]: string
}

export interface Progress {
  /** Variables in the order of the template, each once. `many`: it is a list (`*`), typed with commas. */
  variables: readonly { name: string; many: boolean; optional: boolean }[]
  /** The URI so far: expressions that lack something stay as they are. */
  partial: string
  /** The URI, when nothing is lacking. */
  uri?: string
  /** Names of what is still needed. */
  needed: readonly string[]
  /** Why it is no template of RFC 6570. */
  problem?: string
}

/**
 * Fills a template. A variable of a query or of parameters (`?`, `&`, `;`) may stay empty: then it is
 * left out. All others are needed.
 */
export function fillTemplate(template: string, filled: Values): Progress {
  const variables = new Map<string, { name: string; many: boolean; optional: boolean }>()
  for (const [, operator = '', list = ''] of template.matchAll(/\{([+#./;?&]?)([^{}]*)\}/g)) {
    const optional = operator !== '' && ';?&'.includes(operator)
    for (const part of list.split(',')) {
      const name = part.replace(/(:\d+|\*)$/, '')
      const before = variables.get(name)
      variables.set(name, {
        name,
        many: part.endsWith('*') || before?.many === true,
        optional: optional && before?.optional !== false,
      })
    }
  }
  const all = [...variables.values()]
  const values = Object.fromEntries(
    all.flatMap(({ name, many }) => {
      const text = filled[name]
      if (text === undefined || text === '') return []
      return [[name, many ? text.split(',').map((one) => one.trim()) : text]]
    }),
  )
  const needed = all
    .filter(({ name, optional }) => !optional && !(name in values))
    .map(({ name }) => name)
  try {
    const partial = template.replace(/\{([+#./;?&]?)([^{}]*)\}/g, (expression, _, list: string) => {
      const lacks = list.split(',').some((part) => needed.includes(part.replace(/(:\d+|\*)$/, '')))
      return lacks ? expression : expand(expression, values)
    })
    return {
      variables: all,
      partial,
      needed,
      ...(needed.length === 0 && { uri: expand(template, values) }),
    }
  } catch (error) {
    return { variables: all, partial: template, needed, problem: (error as Error).message }
  }
}
