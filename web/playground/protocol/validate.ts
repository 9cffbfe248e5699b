/**
 * Holds values against the schemas of schema.ts and says what is wrong, where, in words of the
 * catalogue. It knows the keywords that are used there, and no others: schemas of tools, which can be
 * anything, are @cfworker/json-schema's (compose/tool-schema.ts).
 */

import type { Sentence } from './explain.ts'
import { resolve, type Schema } from './schema.ts'
import { isA } from './shape.ts'

/** Members and indexes, from the outside in. */
export type Path = readonly (string | number)[]

export interface Problem {
  at: Path
  sentence: Sentence
}

/** More than these help nobody. */
const maxProblems = 20 // problems

/** Deeper than this is nothing that the protocol describes: it is not looked at. */
const maxDepth = 32 // levels

/** How a path is written for people: `params.refs[0].uri`. */
export const pathText = (path: Path): string =>
  path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i > 0 ? `.${step}` : step))
    .join('')

/** How a path is written for programs (RFC 6901). */
export const pointer = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/**
 * Everything that is wrong with a value, the outermost first, at most {@link maxProblems}.
 *
 * @param at - where the value is in the message, for the paths
 */
export function problemsOf(value: unknown, schema: Schema, at: Path = []): Problem[] {
  const problems: Problem[] = []
  visit(value, schema, at, schema.$defs, problems, 0)
  return problems
}

function visit(
  value: unknown,
  given: Schema,
  at: Path,
  $defs: Schema['$defs'],
  problems: Problem[],
  depth: number,
) {
  if (problems.length >= maxProblems || depth > maxDepth) return
  const schema = resolve(given, $defs)
  const say = (key: string, params: Sentence['params'], where = at) =>
    problems.push({
      at: where,
      sentence: { key: `explain.hint.${key}` as Sentence['key'], params },
    })
  const member = pathText(at)
  if (schema.anyOf) {
    const arm = armOf(value, schema.anyOf, $defs)
    if (arm) visit(value, arm, at, $defs, problems, depth + 1)
    else {
      const kinds = flatArms(schema.anyOf, $defs).map((one) => resolve(one, $defs).type)
      const simple = kinds.every((one) => typeof one === 'string' && one !== 'object')
      if (simple) say('type', { member, type: kinds.join(' | ') })
      else say('schema', { member })
    }
    return
  }
  if (schema.const !== undefined && value !== schema.const) {
    say('value', { member, value: JSON.stringify(schema.const) })
    return
  }
  if (schema.enum && !schema.enum.includes(value)) {
    say('value', { member, value: schema.enum.map((one) => JSON.stringify(one)).join(' | ') })
    return
  }
  if (typeof schema.type === 'string' && !isA(schema.type, value)) {
    say('type', { member, type: schema.type })
    return
  }
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
  if (typeof value === 'number' && (value < minimum || value > maximum)) {
    say('range', { member, limit: `${schema.minimum ?? ''} … ${schema.maximum ?? ''}` })
  }
  if (Array.isArray(value)) {
    if (schema.maxItems !== undefined && value.length > schema.maxItems) {
      say('range', { member, limit: `… ${schema.maxItems}` })
    }
    const { items } = schema
    if (items) {
      value.forEach((item, i) => {
        visit(item, items, [...at, i], $defs, problems, depth + 1)
      })
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(value, name)) say('missing', { member: pathText([...at, name]) }, at)
    }
    const rest = schema.additionalProperties
    for (const [name, inner] of Object.entries(value)) {
      const own =
        schema.properties && Object.hasOwn(schema.properties, name)
          ? schema.properties[name]
          : typeof rest === 'object'
            ? rest
            : undefined
      if (own) visit(inner, own, [...at, name], $defs, problems, depth + 1)
    }
  }
}

/**
 * The arm of a union that a value is meant to be: the one that fits, else the one whose literals
 * (`type`, `mode`, `method`) the value has, so that what is said is about what was meant.
 */
export function armOf(
  value: unknown,
  arms: readonly Schema[],
  $defs: Schema['$defs'],
): Schema | undefined {
  const fitting = arms.find((arm) => problemsOf(value, { ...arm, $defs }).length === 0)
  if (fitting) return fitting
  return flatArms(arms, $defs).find((arm) => {
    const { properties = {} } = resolve(arm, $defs)
    const literals = Object.entries(properties).filter(([, one]) => one.const !== undefined)
    return (
      literals.length > 0 &&
      typeof value === 'object' &&
      literals.every(
        ([name, one]) => (value as { [name: string]: unknown } | null)?.[name] === one.const,
      )
    )
  })
}

/** The arms of a union, and those of unions among them. */
export function flatArms(arms: readonly Schema[], $defs: Schema['$defs']): Schema[] {
  return arms.flatMap((arm) => {
    const inner = resolve(arm, $defs).anyOf
    return inner ? flatArms(inner, $defs) : [arm]
  })
}
