/**
 * Fields of an elicitation form, from the server's schema: flat, of primitive types and choices. The schema may be
 * anything, so all is bounded, and only own members of the known types are read.
 *
 * @see MCP 2026-07-28 and 2025-11-25, client/elicitation, "Requested Schema"
 */

import type { Params } from '../protocol/revisions.ts'

export interface AnswerField {
  name: string
  title: string
  about: string
  required: boolean
  kind: 'text' | 'number' | 'yes' | 'one' | 'many' | 'json'
  /** The type of the input of a text or number. */
  input: 'text' | 'email' | 'url' | 'date' | 'datetime-local' | 'number'
  /** Limits of a number, of the length of a text, or of the number of choices. */
  min?: number
  max?: number
  /** Only whole numbers. */
  whole: boolean
  choices: readonly { value: string; title: string }[]
  /** The chosen values, or the text. */
  initial: readonly string[]
}

/** Further fields and choices are omitted. */
const maxFields = 100
const maxChoices = 200

/** Longer names and descriptions are cut. */
const maxText = 500 // UTF-16 code units

const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const own = (owner: Params, name: string): unknown =>
  Object.hasOwn(owner, name) ? owner[name] : undefined

const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, maxText) : '')

const inputs: Readonly<Record<string, AnswerField['input']>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
}

/** The fields of a requested schema, in its order. */
export function answerFields(schema: unknown): AnswerField[] {
  if (!isObject(schema)) return []
  const properties = own(schema, 'properties')
  const required = own(schema, 'required')
  return Object.entries(isObject(properties) ? properties : {})
    .slice(0, maxFields)
    .map(([name, value]) =>
      fieldOf(
        name,
        isObject(value) ? value : {},
        Array.isArray(required) && required.includes(name),
      ),
    )
}

function fieldOf(name: string, schema: Params, required: boolean): AnswerField {
  const type = own(schema, 'type')
  const items = own(schema, 'items')
  const many = type === 'array' && isObject(items)
  const choices = choicesOf(many ? items : schema)
  const format = own(schema, 'format')
  const number = type === 'number' || type === 'integer'
  const limits = many ? 'Items' : number ? 'imum' : 'Length'
  const limit = (which: 'min' | 'max') => {
    const value = own(schema, which + limits)
    const ok = typeof value === 'number' && (number || (Number.isInteger(value) && value >= 0))
    return ok ? value : undefined
  }
  const initial = own(schema, 'default')
  return {
    name,
    title: text(own(schema, 'title')) || name.slice(0, maxText),
    about: text(own(schema, 'description')),
    required,
    kind:
      choices.length > 0
        ? many
          ? 'many'
          : 'one'
        : type === 'boolean'
          ? 'yes'
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
    initial:
      initial === undefined
        ? []
        : Array.isArray(initial)
          ? initial.slice(0, maxChoices).map(String)
          : [typeof initial === 'object' ? textOf(initial) : String(initial)],
  }
}

/** JSON of a value; `''` if it is nested too deep. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

/** Choices: `enum` with optional `enumNames`, or literals with titles. */
function choicesOf(schema: Params): { value: string; title: string }[] {
  const literals = own(schema, 'oneOf') ?? own(schema, 'anyOf')
  const found = Array.isArray(literals)
    ? literals.map((one) => (isObject(one) ? [own(one, 'const'), own(one, 'title')] : []))
    : listOf(own(schema, 'enum')).map((value, i) => [value, listOf(own(schema, 'enumNames'))[i]])
  return found
    .slice(0, maxChoices)
    .filter((one): one is [string, unknown] => typeof one[0] === 'string')
    .map(([value, title]) => ({ value, title: text(title) || value.slice(0, maxText) }))
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/**
 * The content of an accepted form.
 *
 * @param given - the values of a field, by its index, as FormData has them
 */
export function contentOf(
  fields: readonly AnswerField[],
  given: (index: number) => readonly string[],
): Params {
  const content = fields.flatMap(({ name, kind, input, required }, index): [string, unknown][] => {
    const values = given(index)
    const [value = ''] = values
    if (kind === 'yes') return [[name, values.length > 0]]
    if (kind === 'many') return values.length > 0 || required ? [[name, values]] : []
    if (value === '') return []
    if (kind === 'number') return [[name, Number(value)]]
    if (kind === 'json') return [[name, jsonOf(value)]]
    return [[name, input === 'datetime-local' ? new Date(value).toISOString() : value]]
  })
  return Object.fromEntries(content)
}

function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** The time of a `date-time` for `<input type=datetime-local>`, which has no time zone. */
export function localTime(value: string): string {
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
