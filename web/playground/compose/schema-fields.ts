/**
 * Fields of forms, from JSON Schemas: of messages, elicitations, prompts and templates. A schema of a server may be
 * anything, so all is bounded, and only own members of the known types are read.
 *
 * @see MCP 2026-07-28 and 2025-11-25, client/elicitation, "Requested Schema"
 */

import { pretty } from '../protocol/pretty.ts'
import { isObject, type Params } from '../protocol/revisions.ts'

export interface Field {
  name: string
  title: string
  about: string
  required: boolean
  kind: 'text' | 'number' | 'choice' | 'many' | 'json'
  /** The type of the input of a text or number. */
  input: 'text' | 'email' | 'url' | 'date' | 'datetime-local' | 'number'
  /** Limits of a number, of the length of a text, or of the number of choices. */
  min?: number
  max?: number
  /** Only whole numbers. */
  whole: boolean
  choices: readonly Choice[]
  /** The value that it begins with. */
  initial?: unknown
}

export interface Choice {
  json: string
  title: string
}

/** What a form holds for a field: a text, or the JSON of each chosen value. */
export type Input = string | readonly string[]

/** Further fields and choices are omitted. */
const maxFields = 100
const maxChoices = 200

/** Longer names and descriptions are cut. */
const maxText = 500 // UTF-16 code units

const own = (owner: unknown, name: string): unknown =>
  isObject(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined

const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, maxText) : '')

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const inputs: Readonly<Record<string, Field['input']>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
}

/** The fields of an object's schema, in its order. */
export function schemaFields(schema: unknown): Field[] {
  const properties = own(schema, 'properties')
  const required = listOf(own(schema, 'required'))
  return Object.entries(isObject(properties) ? properties : {})
    .slice(0, maxFields)
    .map(([name, value]) => schemaField(name, value, required.includes(name)))
}

export function schemaField(name: string, schema: unknown, required: boolean): Field {
  const [type] = [own(schema, 'type')].flat().filter((one) => one !== 'null')
  const items = own(schema, 'items')
  const many = type === 'array' && isObject(items)
  const choices = choicesOf(many ? items : schema, type)
  const format = own(schema, 'format')
  const number = type === 'number' || type === 'integer'
  const limits = many ? 'Items' : number ? 'imum' : 'Length'
  const limit = (which: 'min' | 'max') => {
    const value = own(schema, which + limits)
    const ok = typeof value === 'number' && (number || (Number.isInteger(value) && value >= 0))
    return ok ? value : undefined
  }
  return {
    name,
    title: text(own(schema, 'title')) || name.slice(0, maxText),
    about: text(own(schema, 'description')),
    required,
    kind:
      choices.length > 0
        ? many
          ? 'many'
          : 'choice'
        : number
          ? 'number'
          : type === 'string'
            ? 'text'
            : 'json',
    input: number
      ? 'number'
      : (typeof format === 'string' && Object.hasOwn(inputs, format) && inputs[format]) || 'text',
    min: limit('min'),
    max: limit('max'),
    whole: type === 'integer',
    choices,
    initial: own(schema, 'default'),
  }
}

/** Choices: `enum` with optional `enumNames`, literals with titles, or yes and no. */
function choicesOf(schema: unknown, type: unknown): Choice[] {
  const literals = own(schema, 'oneOf') ?? own(schema, 'anyOf')
  const values = type === 'boolean' ? [true, false] : listOf(own(schema, 'enum'))
  const found = Array.isArray(literals)
    ? literals.map((one) => [own(one, 'const'), own(one, 'title')])
    : values.map((value, i) => [value, listOf(own(schema, 'enumNames'))[i]])
  return found
    .slice(0, maxChoices)
    .filter(([value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([value, title]) => ({
      json: JSON.stringify(value),
      title: text(title) || String(value).slice(0, maxText),
    }))
}

/** What the form of a field begins with. */
export function inputOf({ kind, input }: Field, value: unknown): Input {
  if (kind === 'many') return listOf(value).slice(0, maxChoices).map(jsonText)
  if (value === undefined) return ''
  if (input === 'datetime-local') return localTime(String(value))
  return kind === 'text' && typeof value === 'string' ? value : jsonText(value)
}

/** JSON of a value; `''` if it is nested too deep. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

/** The JSON of what the form holds; undefined: nothing, so that the member is left out. */
export function jsonOf({ kind, input, required }: Field, value: Input): string | undefined {
  if (typeof value !== 'string')
    return value.length > 0 || required ? `[${value.join(',')}]` : undefined
  if (value === '') return required && kind === 'text' ? '""' : undefined
  if (kind === 'text')
    return pretty(input === 'datetime-local' ? new Date(value).toISOString() : value)
  try {
    JSON.parse(value)
    return value.trim()
  } catch {
    return pretty(value) // invalid, and shown as invalid
  }
}

/** The values of a form, by the index of the field. */
export const contentOf = (fields: readonly Field[], given: (index: number) => Input): Params =>
  Object.fromEntries(
    fields.flatMap((field, index) => {
      const json = jsonOf(field, given(index))
      return json === undefined ? [] : [[field.name, JSON.parse(json) as unknown]]
    }),
  )

/** The time of a `date-time` for `<input type=datetime-local>`, which has no time zone. */
export function localTime(value: string): string {
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
