/** What is said about a place of a frame under the pointer, and what is wrong with a frame, with positions. */

import { aboutMethod, type Sentence } from '../protocol/explain.ts'
import { jsonTree, nodeAt, placeAt } from '../protocol/json.ts'
import { messageProblems } from '../protocol/message.ts'
import { methodNamed, missingCapability, revisionsOf, specUrl } from '../protocol/methods.ts'
import { resolve, type Schema } from '../protocol/schema.ts'
import {
  frameSchema,
  plainValue,
  requestAnswered,
  type ServerContext,
  schemasAt,
} from './schema-at.ts'

/** What is said at a place. */
export interface Hover {
  from: number
  to: number
  /** The name or value, as written in the protocol. */
  name: string
  /** The schema's words: English, or the server's. */
  doc?: string
  /** Our words. */
  sentence?: Sentence
  /** The JSON types it may have. */
  type?: string
  required?: boolean
  link?: { title: string; url: string }
}

/** What there is to say at an offset. */
export function hoverAt(source: string, offset: number, server: ServerContext): Hover | undefined {
  const { root } = jsonTree(source)
  const place = placeAt(source, root, offset)
  const { node, path } = place
  if (!node || offset > node.to || node.kind === 'object' || node.kind === 'array') return undefined
  const message = plainValue(root, source)
  const schema = frameSchema(message, server)
  const { revision } = server
  const method = (message as { method?: unknown } | undefined)?.method
  const known = typeof method === 'string' ? methodNamed(revision, method) : undefined
  const link = known && {
    title: `${revision} · ${known.page}`,
    url: specUrl(revision, known.page),
  }
  const base = { from: node.from, to: node.to, link }
  if (!place.key && path.length === 1 && path[0] === 'method' && typeof method === 'string') {
    const others = revisionsOf(method)
    return {
      ...base,
      name: method,
      sentence: aboutMethod(method, revision, others.includes(revision) ? known : undefined),
    }
  }
  const here = place.key ? [...path, node.text ?? ''] : path
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

/** Something that is wrong, and where. */
export interface TextProblem {
  from: number
  to: number
  severity: 'error' | 'warning'
  sentence: Sentence
}

/** Everything that is wrong with a text as a frame of its revision, in its order. */
export function textProblems(source: string, server: ServerContext): TextProblem[] {
  const { root, errorAt } = jsonTree(source)
  let message: unknown
  try {
    message = JSON.parse(source)
  } catch (error) {
    const at = Math.min(errorAt ?? 0, Math.max(0, source.length - 1))
    const params = { problem: String((error as Error).message) }
    return [
      {
        from: at,
        to: Math.min(source.length, at + 1),
        severity: 'error',
        sentence: { key: 'explain.hint.json', params },
      },
    ]
  }
  const found = messageProblems(message, server.revision, requestAnswered(message, server)).map(
    ({ at, sentence }): TextProblem => {
      // what is missing is marked at the key of the object that lacks it, not over all of the object
      const owner = at.length > 0 ? nodeAt(root, at.slice(0, -1)) : undefined
      const member = owner?.members?.findLast(({ key }) => key.text === at.at(-1))
      const value = nodeAt(root, at)
      const structure = value?.kind === 'object' || value?.kind === 'array'
      const mark = structure ? member?.key : value
      const from = mark?.from ?? value?.from ?? root?.from ?? 0
      const to = mark?.to ?? from + 1
      return { from, to, severity: 'error', sentence }
    },
  )
  const { method } = (message ?? {}) as { method?: unknown }
  const named = typeof method === 'string' ? methodNamed(server.revision, method) : undefined
  const node = nodeAt(root, ['method'])
  const { capabilities } = server
  const mine = named !== undefined && named.from !== 'server'
  const capability = mine && capabilities ? missingCapability(named, capabilities) : ''
  if (node && capability) {
    const sentence: Sentence = { key: 'explain.cause.capability', params: { capability } }
    found.push({ from: node.from, to: node.to, severity: 'warning', sentence })
  }
  return found.sort((a, b) => a.from - b.from)
}
