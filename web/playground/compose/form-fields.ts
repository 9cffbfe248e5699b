/** Fields of a form, from the schema and the text of a message; changes are written into the text. */

import { applyEdits, modify } from 'jsonc-parser'
import { jsonTree, nodeAt, replaceAt, written } from '../protocol/json.ts'
import { pretty } from '../protocol/pretty.ts'
import type { Params } from '../protocol/revisions.ts'
import type { Schema } from '../protocol/schema.ts'
import type { Path } from '../protocol/validate.ts'
import { completionsAt } from './complete.ts'
import { frameSchema, type ServerContext, schemasAt } from './schema-at.ts'

export interface Field {
  path: Path
  name: string
  kind: 'text' | 'number' | 'yes' | 'choice' | 'json' | 'group'
  /** The input's value; `''`: the member is missing. */
  value: string
  /** Whether the text has the member. */
  there: boolean
  required: boolean
  /** The schema's description. */
  doc?: string
  /** Choices; of a `text`, only suggestions. */
  choices?: readonly string[]
  /** Of a group. */
  fields?: readonly Field[]
}

/** Members below this depth are edited as JSON. */
const maxDepth = 4 // levels, from the frame on

/** The fields of a message's params, without the envelope; undefined if the text is not a JSON object. */
export function fieldsOf(source: string, server: ServerContext): readonly Field[] | undefined {
  if (jsonTree(source).errorAt !== undefined) return undefined
  const message = JSON.parse(source) as unknown
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined
  const schema = frameSchema(message, server)
  return within(['params'], source, message, schema, server)
}

function within(
  path: Path,
  source: string,
  message: unknown,
  root: Schema,
  server: ServerContext,
): Field[] {
  const fields = new Map<string, Field>()
  for (const owner of schemasAt(root, path, message)) {
    for (const name of Object.keys(owner.properties ?? {})) {
      if (name === '_meta' || fields.has(name)) continue
      const required = Array.isArray(owner.required) && owner.required.includes(name)
      fields.set(name, field([...path, name], required, source, message, root, server))
    }
  }
  // required fields first
  return [...fields.values()].sort((a, b) => Number(b.required) - Number(a.required))
}

function field(
  path: Path,
  required: boolean,
  source: string,
  message: unknown,
  root: Schema,
  server: ServerContext,
): Field {
  const node = nodeAt(jsonTree(source).root, path)
  const schemas = schemasAt(root, path, message)
  // all members of a union are choices
  const all = schemasAt(root, path, withoutLiterals(message, path))
  const [first] = schemas
  const base = {
    path,
    name: String(path.at(-1)),
    there: node !== undefined,
    required,
    doc: typeof first?.description === 'string' ? first.description : undefined,
    value: !node ? '' : node.type === 'string' ? node.value : written(source, node),
  }
  const choices = [...new Set(all.flatMap(literals))]
  if (choices.length > 0) return { ...base, kind: 'choice', choices }
  const type = [first?.type].flat()[0]
  if (type === 'boolean') return { ...base, kind: 'yes' }
  if (type === 'number' || type === 'integer') return { ...base, kind: 'number' }
  if (type === 'string' && (node === undefined || node.type === 'string')) {
    return { ...base, kind: 'text', choices: proposals(path, source, server) }
  }
  if (type === 'object' && first?.properties && path.length < maxDepth) {
    if (Object.keys(first.properties).length > 0) {
      return { ...base, kind: 'group', fields: within(path, source, message, root, server) }
    }
  }
  return { ...base, kind: 'json' }
}

function literals({ const: literal, enum: either }: Schema): string[] {
  const all = literal !== undefined ? [literal] : Array.isArray(either) ? either : []
  return all.filter((one) => typeof one === 'string')
}

/** The message without the member at a path, whose literal selects the union's member. */
function withoutLiterals(message: unknown, path: Path): unknown {
  const copy = structuredClone(message)
  let owner = copy as Params | undefined
  for (const step of path.slice(0, -1)) owner = owner?.[step] as Params | undefined
  if (owner && typeof owner === 'object') delete owner[String(path.at(-1))]
  return copy
}

/** Completions for a value of this member. */
function proposals(path: Path, source: string, server: ServerContext): readonly string[] {
  const there = nodeAt(jsonTree(source).root, path)
  const text = there ? source : setAt(source, path, '""')
  const node = nodeAt(jsonTree(text).root, path)
  if (!node) return []
  const { options } = completionsAt(text, node.offset + 1, server)
  return options.filter(({ kind }) => kind === 'live').map(({ label }) => label)
}

/**
 * Sets a member, and leaves the rest of the text as it is.
 *
 * @param json - undefined: removes the member
 */
export function setAt(source: string, path: Path, json: string | undefined): string {
  if (json !== undefined) {
    const replaced = replaceAt(source, path, json)
    if (replaced !== undefined) return replaced
  }
  const value = json === undefined ? undefined : JSON.parse(json)
  const formattingOptions = { tabSize: 2, insertSpaces: true, eol: '\n' }
  return applyEdits(source, modify(source, [...path], value, { formattingOptions }))
}

/** The JSON of a field's input; undefined: none, so the member is removed unless it is required. */
export function jsonOf({ kind, required }: Field, input: string): string | undefined {
  if (input === '' && (!required || kind !== 'text')) return undefined
  if (kind === 'text' || kind === 'choice') return pretty(input)
  try {
    JSON.parse(input)
    return input.trim()
  } catch {
    return pretty(input) // invalid, and shown as invalid in the text
  }
}
