/** JSON Schema (2020-12) of all types in types.ts. Loaded with the editor. */

import { letterOf, methodNamed } from './methods.ts'
import { type Revision, revisions } from './revisions.ts'
import { types } from './types.ts'

/** The part of JSON Schema that is generated here and used from tools' schemas. */
export interface Schema {
  $schema?: string
  $ref?: string
  $defs?: { [name: string]: Schema }
  type?: string | string[]
  description?: string
  title?: string
  properties?: { [name: string]: Schema }
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  maxItems?: number
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  const?: unknown
  enum?: unknown[]
  default?: unknown
  format?: string
  contentEncoding?: string
  minimum?: number
  maximum?: number
}

const dialect = 'https://json-schema.org/draft/2020-12/schema'

const made = new Map<Revision, { [name: string]: Schema }>()

/** All types of a revision, by name. */
export function definitions(revision: Revision): { readonly [name: string]: Schema } {
  const known = made.get(revision)
  if (known) return known
  const all = read(letterOf(revision))
  made.set(revision, all)
  return all
}

/**
 * The schema of a method's params or result; undefined if the revision has no such method, or the method no
 * result.
 *
 * @param part - `result` is that of a completed request; {@link resultSchema} has the others
 */
export function schemaOf(
  revision: Revision,
  method: string,
  part: 'params' | 'result',
): Schema | undefined {
  const name = methodNamed(revision, method)?.[part]
  return name ? schemaNamed(revision, name) : undefined
}

/** A type with all types that it references; undefined if the revision does not have it. */
export function schemaNamed(revision: Revision, name: string): Schema | undefined {
  const $defs = definitions(revision)
  return name in $defs ? { $schema: dialect, $ref: `#/$defs/${name}`, $defs } : undefined
}

/** Methods of 2026-07-28 whose result may request input. Basic, patterns/mrtr. */
const methodsMayRequestInput = ['resources/read', 'prompts/get', 'tools/call']

/** The schema of a result. The official schema has unions that accept almost anything; here `resultType` decides. */
export function resultSchema(
  revision: Revision,
  method: string,
  result: unknown,
): Schema | undefined {
  const said = (typeof result === 'object' && result !== null ? result : {}) as {
    [name: string]: unknown
  }
  if (said.resultType === 'input_required' && methodsMayRequestInput.includes(method)) {
    return schemaNamed(revision, 'InputRequired')
  }
  if (said.resultType === 'task' && method === 'tools/call') {
    return schemaNamed(revision, 'CreateTaskResult')
  }
  if (revision === '2025-11-25' && 'task' in said && !('content' in said)) {
    return schemaNamed(revision, 'CreateTaskResult')
  }
  return schemaOf(revision, method, 'result')
}

/** Resolves references. */
export function resolve(schema: Schema, $defs: Schema['$defs']): Schema {
  let found = schema
  for (let hops = 0; found.$ref !== undefined && hops < 20; hops++) {
    const next = $defs?.[found.$ref.replace(/^#\/(\$defs|definitions)\//, '')]
    if (next === undefined) return {}
    // keywords beside a reference override it
    found = found.description ? { ...next, description: found.description } : next
  }
  return found
}

function read(letter: string): { [name: string]: Schema } {
  const all: { [name: string]: Schema } = {}
  const mixins = new Map<Schema, string[]>()
  let current: Schema | undefined
  for (const line of types.trim().split('\n')) {
    const [, code = '', letters, doc] = /^(.*?)(?: {2}@([CDE]+))?(?: {2}# (.*))?$/.exec(line) ?? []
    const here = !letters || letters.includes(letter)
    if (line.startsWith('  ')) {
      if (current && here) member(current, code.trim(), doc)
      continue
    }
    current = undefined
    if (!here) continue
    const [, name = '', alias, parents] = /^(\w+)(?: = (.*)| < (.*))?$/.exec(code) ?? []
    if (alias !== undefined) {
      all[name] = { ...type(alias), ...(doc && { description: doc }) }
      continue
    }
    current = { type: 'object', ...(doc && { description: doc }), properties: {} }
    all[name] = current
    if (parents) mixins.set(current, parents.split(', '))
  }
  for (const schema of Object.values(all)) mixIn(schema, all, mixins)
  return all
}

function member(owner: Schema, code: string, description?: string) {
  const [, name = '', optional, expression = ''] = /^(.+?)(\?)?: (.*)$/.exec(code) ?? []
  const schema = { ...type(expression), ...(description && { description }) }
  owner.properties = { ...owner.properties, [name]: schema }
  if (!optional) owner.required = [...(owner.required ?? []), name]
}

/** Adds members of mixins, which a type's own members override. Mixins that the revision lacks add nothing. */
function mixIn(schema: Schema, all: { [name: string]: Schema }, mixins: Map<Schema, string[]>) {
  const parents = mixins.get(schema)
  if (!parents) return
  mixins.delete(schema)
  for (const name of parents) {
    const parent = all[name]
    if (!parent) continue
    mixIn(parent, all, mixins)
    const required = (parent.required ?? []).filter((one) => !(one in (schema.properties ?? {})))
    schema.properties = { ...schema.properties, ...own(parent.properties, schema.properties) }
    if (required.length) schema.required = [...required, ...(schema.required ?? [])]
  }
}

/** Properties of one that the other lacks. */
const own = (some: Schema['properties'] = {}, other: Schema['properties'] = {}) =>
  Object.fromEntries(Object.entries(some).filter(([name]) => !(name in other)))

const simple: { readonly [name: string]: Schema } = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  object: { type: 'object' },
  any: {},
  uri: { type: 'string', format: 'uri' },
  bytes: { type: 'string', contentEncoding: 'base64' },
  '0..1': { type: 'number', minimum: 0, maximum: 1 },
  '0..': { type: 'integer', minimum: 0 },
}

function type(expression: string): Schema {
  const list = /^(.*)\[\](\d+)?$/.exec(expression)
  const either = parts(expression)
  if (either.length > 1) {
    const all = either.map(type)
    if (all.every((one) => one.const !== undefined)) {
      return { type: 'string', enum: all.map((one) => one.const) }
    }
    return { anyOf: all }
  }
  if (list) {
    const most = list[2] ? { maxItems: Number(list[2]) } : {}
    return { type: 'array', items: type(list[1] as string), ...most }
  }
  if (expression.startsWith('{')) {
    return { type: 'object', additionalProperties: type(expression.slice(1, -1)) }
  }
  if (expression.startsWith('(')) return type(expression.slice(1, -1))
  if (expression.startsWith('"')) return { type: 'string', const: JSON.parse(expression) }
  return simple[expression] ?? { $ref: `#/$defs/${expression}` }
}

/** Splits at each `|` outside brackets. */
function parts(expression: string): string[] {
  const found: string[] = []
  let depth = 0
  let begin = 0
  for (let i = 0; i < expression.length; i++) {
    const char = expression[i] as string
    if ('({'.includes(char)) depth++
    else if (')}'.includes(char)) depth--
    else if (char === '|' && depth === 0) {
      found.push(expression.slice(begin, i).trim())
      begin = i + 1
    }
  }
  return [...found, expression.slice(begin).trim()]
}

/** Names that are referenced but not defined; for tests only. */
export function danglingNames(): string[] {
  return revisions.flatMap((revision) => {
    const $defs = definitions(revision)
    const used = JSON.stringify($defs).matchAll(/#\/\$defs\/(\w+)/g)
    return [...new Set([...used].map(([, name]) => name as string))]
      .filter((name) => !(name in $defs))
      .map((name) => `${revision} ${name}`)
  })
}
