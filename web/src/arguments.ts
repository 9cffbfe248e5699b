/**
 * Arguments of tools as models and hosts send them: whole numbers that JavaScript would round, and JSON as
 * text where a tool wants a value. A part of answer-call.js and of the sources that call tools.
 */

import type { Checked } from './checked.ts'
import type { Checker } from './schema.ts'
import type { Json } from './source.ts'

type Args = Record<string, unknown>
type Schema = { readonly [keyword: string]: Json }

/** Whether a text may have a whole number beyond 2^53. */
export const mayRound = (json: string) => /\d{16}/.test(json)

const mark = '\u0000whole'

/** Parses JSON; a whole number that JavaScript would round becomes a bigint. */
export function parseExact(json: string): unknown {
  if (!mayRound(json)) return JSON.parse(json)
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
  const marked = json.replace(tokens, (token) => {
    const whole = /^(-?\d+)(?:\.0+)?$/.exec(token)?.[1]
    return whole === undefined || Number.isSafeInteger(Number(whole))
      ? token
      : `{"${mark}":"${whole}"}`
  })
  return JSON.parse(marked.replaceAll(mark, '\\u0000whole'), (_, value) => {
    const whole: unknown = value?.[mark]
    return typeof whole === 'string' && /^-?\d+$/.test(whole) ? BigInt(whole) : value
  })
}

/**
 * Arguments without bigints: they are text where the schema asks for it.
 *
 * @param schema - of the arguments, if the tool has one
 * @returns what is wrong with the others, or the arguments
 */
export function exactArguments(args: Args, schema: Schema | undefined): Args | string {
  const wrong: string[] = []
  const visit = (value: unknown, own: Json | undefined, path: string): unknown => {
    if (typeof value === 'bigint') {
      const kinds = kindsOf(own, schema)
      if (kinds.has('string') && !kinds.has('integer') && !kinds.has('number')) return `${value}`
      wrong.push(`${path}: ${value} is a whole number beyond 2^53, which would be rounded here`)
    }
    if (Array.isArray(value)) {
      const items = memberOf(own, 'items')
      return value.map((one, i) => visit(one, items, `${path}/${i}`))
    }
    if (typeof value !== 'object' || value === null) return value
    const properties = memberOf(own, 'properties')
    const others = memberOf(own, 'additionalProperties')
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        visit(one, memberOf(properties, key) ?? others, `${path}/${key}`),
      ]),
    )
  }
  const exact = visit(args, schema, '') as Args
  return wrong.length > 0 ? wrong.join('; ') : exact
}

/**
 * Arguments in which texts are taken for what they say: where the schema wants a list, number, object or
 * boolean, and no text, and the text is JSON of that. `undefined`: there are none.
 */
function unquoted(args: Args, schema: Schema): Args | undefined {
  const found: Args = {}
  for (const [key, text] of Object.entries(args)) {
    if (typeof text !== 'string') continue
    const kinds = kindsOf(memberOf(schema.properties, key), schema)
    if (kinds.size === 0 || kinds.has('string')) continue
    try {
      const value = parseExact(text)
      if (kinds.has(kindOf(value)) || (kinds.has('integer') && Number.isInteger(value)))
        found[key] = value
    } catch {
      // it is no JSON
    }
  }
  return Object.keys(found).length > 0 ? { ...args, ...found } : undefined
}

/** Checks arguments, and once more with texts that are JSON taken for what they say. */
export async function checkedArguments(own: Args, input: Checker | undefined): Promise<Checked> {
  const args = exactArguments(own, input?.json)
  if (typeof args === 'string') return { problems: [{ path: '', message: args }] }
  if (input === undefined) return { value: args }
  const first = await input.check(args)
  const other = 'problems' in first && unquoted(args, input.json)
  const exact = other && exactArguments(other, input.json)
  if (!exact || typeof exact === 'string') return first
  const again = await input.check(exact)
  return 'problems' in again ? first : again
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

/** The types that a schema says values may have; none: it says nothing. */
function kindsOf(schema: Json | undefined, root: Json | undefined, depth = 0): Set<string> {
  const kinds = new Set<string>()
  if (depth > 8) return kinds
  for (const one of [memberOf(schema, 'type')].flat()) if (typeof one === 'string') kinds.add(one)
  const values = memberOf(schema, 'enum')
  if (kinds.size === 0 && Array.isArray(values)) for (const one of values) kinds.add(kindOf(one))
  for (const name of ['anyOf', 'oneOf', 'allOf']) {
    const branches = memberOf(schema, name)
    if (!Array.isArray(branches)) continue
    for (const branch of branches)
      for (const kind of kindsOf(branch, root, depth + 1)) kinds.add(kind)
  }
  const ref = memberOf(schema, '$ref')
  if (typeof ref === 'string' && ref.startsWith('#/')) {
    const target = ref
      .slice(2)
      .split('/')
      .reduce((at, part) => memberOf(at, part), root)
    for (const kind of kindsOf(target, root, depth + 1)) kinds.add(kind)
  }
  return kinds
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? (value as Schema)[name] : undefined
}
