/**
 * What APIs of models take as a schema of arguments. One tool that has something else makes them refuse the
 * whole conversation.
 */

import type { ToolDescription } from './callee.ts'

/** Whether APIs take the key of a property. */
export const isKey = (key: string) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key)

/** What a developer has to know about a tool whose schema APIs do not take; `undefined`: nothing. */
export function unfit({ name, inputSchema = {} }: ToolDescription): Error | undefined {
  const schema = inputSchema as { readonly [keyword: string]: unknown }
  const combinators = ['anyOf', 'oneOf', 'allOf', '$ref'].filter((one) => one in schema)
  const keys = Object.keys((schema.properties ?? {}) as object).filter((key) => !isKey(key))
  const problems = [
    combinators.length > 0 &&
      `${combinators.join(', ')} at the top level, which the gateway lists as text: put alternatives into a property`,
    keys.length > 0 &&
      `keys with other characters than letters, digits, "_", "-" and ".", or more than 64: ${JSON.stringify(keys.slice(0, 8))}`,
  ].filter(Boolean)
  if (problems.length === 0) return undefined
  const warning = new Error(
    `the inputSchema of the tool ${JSON.stringify(name)} has what APIs of models refuse: ${problems.join('; ')}`,
  )
  warning.name = 'SchemaWarning'
  return warning
}

/** Keys as APIs take them, by those of a schema; a key that they take stays. */
export function shownKeys(keys: readonly string[]): Map<string, string> {
  const shown = new Map(keys.filter(isKey).map((key) => [key, key]))
  const taken = new Set(shown.keys())
  for (const key of keys) {
    if (shown.has(key)) continue
    const spelled = key.replace(/[^a-zA-Z0-9_.-]/gu, '_').slice(0, 58)
    let one = spelled
    for (let i = 2; one === '' || taken.has(one); i++) one = `${spelled}_${i}`
    shown.set(key, one)
    taken.add(one)
  }
  return shown
}
