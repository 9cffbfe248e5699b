/** The form of a message: fields from its schema and its text; changes are written into the text. */

import { applyEdits, getNodeValue, modify } from 'jsonc-parser'
import { jsonTree, nodeAt, replaceAt, written } from '../protocol/json.ts'
import type { Params } from '../protocol/revisions.ts'
import type { Schema } from '../protocol/schema.ts'
import type { Path } from '../protocol/validate.ts'
import { completionsAt } from './complete.ts'
import { frameSchema, type ServerContext, schemasAt } from './schema-at.ts'
import { type Field, schemaField } from './schema-fields.ts'

export interface FormField extends Field {
  path: Path
  value: string
  /** Whether the text has the member. */
  there: boolean
  /** Values that the server has. */
  suggestions: readonly string[]
  /** Of an object with known members. */
  fields?: readonly FormField[]
}

/** Members below this depth are edited as JSON. */
const maxDepth = 4 // levels, from the frame on

/** The fields of a message's params, without the envelope; undefined if the text is not a JSON object. */
export function fieldsOf(source: string, server: ServerContext): readonly FormField[] | undefined {
  const { root, errorAt } = jsonTree(source)
  if (root?.type !== 'object' || errorAt !== undefined) return undefined
  const message: unknown = getNodeValue(root)
  const schema = frameSchema(message, server)
  const within = (path: Path): FormField[] => {
    const fields = new Map<string, FormField>()
    for (const owner of schemasAt(schema, path, message)) {
      for (const name of Object.keys(owner.properties ?? {})) {
        if (name === '_meta' || fields.has(name)) continue
        const required = Array.isArray(owner.required) && owner.required.includes(name)
        fields.set(name, field([...path, name], required))
      }
    }
    // required fields first
    return [...fields.values()].sort((a, b) => Number(b.required) - Number(a.required))
  }
  const field = (path: Path, required: boolean): FormField => {
    const node = nodeAt(root, path)
    const [first] = schemasAt(schema, path, message)
    // all members of a union are choices
    const all = schemasAt(schema, path, withoutLiterals(message, path)).flatMap(literals)
    const { title: _, ...own } = { ...first, ...(all.length > 0 && { enum: [...new Set(all)] }) }
    const made = schemaField(String(path.at(-1)), own, required)
    const isOther = node !== undefined && node.type !== 'string' // a reader sees what is there
    const kind = made.kind === 'many' || (made.kind === 'text' && isOther) ? 'json' : made.kind
    const hasFields = first?.type === 'object' && Object.keys(first.properties ?? {}).length > 0
    return {
      ...made,
      kind,
      input: 'text',
      path,
      there: node !== undefined,
      value:
        node === undefined
          ? ''
          : kind === 'text'
            ? node.value
            : kind === 'choice'
              ? JSON.stringify(getNodeValue(node))
              : written(source, node),
      suggestions: kind === 'text' ? proposals(path, source, server) : [],
      ...(hasFields && path.length < maxDepth && { fields: within(path) }),
    }
  }
  return within(['params'])
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
