/**
 * Validates values against the schemas of schema.ts; problems are keys of texts. It supports only the keywords
 * that are used there: tools' schemas, which can be anything, need @cfworker/json-schema
 * (compose/tool-schema.ts).
 */

import type { Sentence } from './explain.ts'
import { isObject } from './revisions.ts'
import { resolve, type Schema } from './schema.ts'

/** Members and indexes, from the root. */
export type Path = readonly (string | number)[]

export interface Problem {
  at: Path
  sentence: Sentence
}

/** Further problems are omitted. */
export const maxProblems = 20 // problems

/** The protocol has no deeper values; they are not checked. */
const maxDepth = 32 // levels

/** A path for users: `params.refs[0].uri`. */
export const pathText = (path: Path): string =>
  path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i > 0 ? `.${step}` : step))
    .join('')

/** A path as a JSON Pointer (RFC 6901). */
export const pointer = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Items of a list that are checked at a time. */
const partLength = 1000 // items

/** Checks the next part of a long list, and returns its problems. */
export type Rest = () => Problem[]

/** What all calls of a check share. */
interface Run {
  $defs: Schema['$defs']
  /** Path of the value. */
  at: (string | number)[]
  problems: Problem[]
  rests: Rest[] | undefined
}

/**
 * All problems of a value, outermost first, at most {@link maxProblems}.
 *
 * @param at - path of the value in the message
 * @param rests - gets what remains of long lists; default: these are checked at once
 */
export function problemsOf(value: unknown, schema: Schema, at: Path = [], rests?: Rest[]) {
  const run: Run = { $defs: schema.$defs, at: [...at], problems: [], rests }
  visit(run, value, schema, 0)
  return run.problems
}

function say(run: Run, key: string, params: Sentence['params'], member = pathText(run.at)) {
  run.problems.push({
    at: [...run.at],
    sentence: { key: `explain.hint.${key}` as Sentence['key'], params: { member, ...params } },
  })
}

/** Checks a member or an item. */
function visitInner(
  run: Run,
  step: string | number,
  value: unknown,
  schema: Schema,
  depth: number,
) {
  run.at.push(step)
  visit(run, value, schema, depth + 1)
  run.at.pop()
}

function visitItems(run: Run, items: readonly unknown[], schema: Schema, depth: number, from = 0) {
  const until = run.rests ? Math.min(items.length, from + partLength) : items.length
  for (let i = from; i < until; i++) visitInner(run, i, items[i], schema, depth)
  if (until === items.length) return
  const rest = { ...run, at: [...run.at], problems: [] }
  run.rests?.push(() => {
    visitItems(rest, items, schema, depth, until)
    return rest.problems
  })
}

function visit(run: Run, value: unknown, given: Schema, depth: number) {
  if (run.problems.length >= maxProblems || depth > maxDepth) return
  const { $defs } = run
  const schema = resolve(given, $defs)
  if (schema.anyOf) {
    const arm = armOf(value, schema.anyOf, $defs)
    if (arm) visit(run, value, arm, depth + 1)
    else {
      const kinds = flatArms(schema.anyOf, $defs).map((one) => resolve(one, $defs).type)
      const simple = kinds.every((one) => typeof one === 'string' && one !== 'object')
      if (simple) say(run, 'type', { type: kinds.join(' | ') })
      else say(run, 'schema', {})
    }
    return
  }
  if (schema.const !== undefined && value !== schema.const) {
    say(run, 'value', { value: JSON.stringify(schema.const) })
    return
  }
  if (schema.enum && !schema.enum.includes(value)) {
    say(run, 'value', { value: schema.enum.map((one) => JSON.stringify(one)).join(' | ') })
    return
  }
  if (typeof schema.type === 'string' && !isA(schema.type, value)) {
    say(run, 'type', { type: schema.type })
    return
  }
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
  if (typeof value === 'number' && (value < minimum || value > maximum)) {
    say(run, 'range', { limit: `${schema.minimum ?? ''} … ${schema.maximum ?? ''}` })
  }
  if (Array.isArray(value)) {
    if (schema.maxItems !== undefined && value.length > schema.maxItems) {
      say(run, 'range', { limit: `… ${schema.maxItems}` })
    }
    if (schema.items) visitItems(run, value, schema.items, depth)
  } else if (typeof value === 'object' && value !== null) {
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(value, name)) say(run, 'missing', {}, pathText([...run.at, name]))
    }
    const rest = schema.additionalProperties
    for (const [name, inner] of Object.entries(value)) {
      const own =
        schema.properties && Object.hasOwn(schema.properties, name)
          ? schema.properties[name]
          : typeof rest === 'object'
            ? rest
            : undefined
      if (own) visitInner(run, name, inner, own, depth)
    }
  }
}

/**
 * The intended member of a union: the one that matches, else the one with the value's literals (`type`,
 * `mode`, `method`), so that problems refer to it.
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

/** The members of a union, including nested unions. */
export function flatArms(arms: readonly Schema[], $defs: Schema['$defs']): Schema[] {
  return arms.flatMap((arm) => {
    const inner = resolve(arm, $defs).anyOf
    return inner ? flatArms(inner, $defs) : [arm]
  })
}

/** Whether a value is of a JSON Schema type. */
function isA(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}
