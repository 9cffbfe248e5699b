/** Expands URI templates step by step, with the engine's rules (RFC 6570). */

import { expand } from '../base/expand.ts'

/** Entered values, by variable. */
export interface Values {
  readonly [variable: string]: string
}

export interface Progress {
  /** Variables in the order of the template, each once. `many`: a list (`*`), entered with commas. */
  variables: readonly { name: string; many: boolean; optional: boolean }[]
  /** The URI so far: incomplete expressions stay as they are. */
  partial: string
  /** The URI, if complete. */
  uri?: string
  /** Names of missing variables. */
  needed: readonly string[]
  /** Why it is not a template of RFC 6570. */
  problem?: string
}

/**
 * Expands a template. Variables of a query or of parameters (`?`, `&`, `;`) are optional; all others are
 * required.
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
