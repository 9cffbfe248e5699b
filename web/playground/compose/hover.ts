/** The tooltip of a position in a message. */

import { getNodeValue } from 'jsonc-parser'
import { aboutMethod, type Sentence } from '../protocol/explain.ts'
import { endOf, isStructure, jsonTree, placeAt } from '../protocol/json.ts'
import { methodNamed, revisionsOf, specUrl } from '../protocol/methods.ts'
import { resolve, type Schema } from '../protocol/schema.ts'
import { frameSchema, type ServerContext, schemasAt } from './schema-at.ts'

/** Content of a tooltip. */
export interface Hover {
  from: number
  to: number
  /** The protocol's name or value. */
  name: string
  /** The description of the schema or the server. */
  doc?: string
  /** The playground's text. */
  sentence?: Sentence
  /** Its JSON types. */
  type?: string
  required?: boolean
  link?: { title: string; url: string }
}

/** The tooltip at an offset. */
export function hoverAt(source: string, offset: number, server: ServerContext): Hover | undefined {
  const { root } = jsonTree(source)
  const place = placeAt(source, root, offset)
  const { node, path } = place
  if (!root || !node || isStructure(node)) return undefined
  const message = getNodeValue(root)
  const schema = frameSchema(message, server)
  const { revision } = server
  const method = (message as { method?: unknown } | undefined)?.method
  const known = typeof method === 'string' ? methodNamed(revision, method) : undefined
  const link = known && {
    title: `${revision} · ${known.page}`,
    url: specUrl(revision, known.page),
  }
  const base = { from: node.offset, to: endOf(node), link }
  if (!place.key && path.length === 1 && path[0] === 'method' && typeof method === 'string') {
    const others = revisionsOf(method)
    return {
      ...base,
      name: method,
      sentence: aboutMethod(method, revision, others.includes(revision) ? known : undefined),
    }
  }
  const here = place.key ? [...path, String(node.value)] : path
  const schemas = schemasAt(schema, here, message)
  const [first] = schemas
  if (!first) return undefined
  const owners = schemasAt(schema, here.slice(0, -1), message)
  const step = here.at(-1)
  return {
    ...base,
    name: String(step),
    doc: typeof first.description === 'string' ? first.description : undefined,
    type: [...new Set(schemas.map((one) => typeText(one, schema.$defs)))].join(' | '),
    required: owners.some(
      ({ required }) => Array.isArray(required) && required.includes(String(step)),
    ),
  }
}

function typeText(given: Schema, $defs: Schema['$defs']): string {
  const { const: literal, enum: either, type, items } = resolve(given, $defs)
  if (literal !== undefined) return JSON.stringify(literal)
  if (Array.isArray(either) && either.length <= 8) {
    return either.map((one) => JSON.stringify(one)).join(' | ')
  }
  if (type === 'array' && items) return `${typeText(items, $defs)}[]`
  return [type ?? 'any'].flat().join(' | ')
}
