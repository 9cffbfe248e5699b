/** Sample messages: the smallest valid one of each method. */

import { methodNamed } from '../protocol/methods.ts'
import { pretty } from '../protocol/pretty.ts'
import { envelope, isModern, type Params, type Revision } from '../protocol/revisions.ts'
import { resolve, type Schema, schemaOf } from '../protocol/schema.ts'

/** The smallest message of a method: required members, empty or with the first possible value. */
export function frameFor(
  revision: Revision,
  name: string,
  id: number,
  given: Params = {},
  capabilities?: Params,
): string {
  const method = methodNamed(revision, name)
  const schema = schemaOf(revision, name, 'params')
  const blank = schema ? (blankOf(schema, schema.$defs) as Params) : {}
  const request = method?.kind !== 'notification'
  const { _meta, ...params } = { ...blank, ...given }
  if (request && isModern(revision)) params._meta = envelope(revision, capabilities)
  if (!request) delete params._meta
  const needless = Object.keys(params).length === 0 && !request
  return pretty({
    jsonrpc: '2.0',
    ...(request && { id }),
    method: name,
    ...(!needless && { params }),
  })
}

/** The smallest value that has what a schema requires. */
export function blankOf(given: Schema, $defs: Schema['$defs'], depth = 0): unknown {
  const schema = resolve(given, $defs)
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const either = schema.anyOf ?? schema.oneOf
  if (either?.[0]) return blankOf(either[0], $defs, depth + 1)
  switch ([schema.type].flat()[0]) {
    case 'string':
      return ''
    case 'number':
    case 'integer':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    case 'array':
      return []
    case 'null':
      return null
  }
  if (depth > 8) return {}
  return Object.fromEntries(
    (schema.required ?? []).map((name) => [
      name,
      blankOf(schema.properties?.[name] ?? {}, $defs, depth + 1),
    ]),
  )
}
