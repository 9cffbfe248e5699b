/** The schemas at a position of a message, for completions, tooltips and the form. */

import type { Prompt, Resource, Template, Tool } from '../connections/catalogue.ts'
import { methodsOf } from '../protocol/methods.ts'
import { isObject, type Params, type Revision } from '../protocol/revisions.ts'
import { definitions, resolve, type Schema, schemaOf } from '../protocol/schema.ts'
import type { Path } from '../protocol/validate.ts'

/** The known state of the server that a message is for. */
export interface ServerContext {
  revision: Revision
  resources: readonly Resource[]
  templates: readonly Template[]
  prompts: readonly Prompt[]
  tools: readonly Tool[]
  /** The server's capabilities; undefined: unknown yet. */
  capabilities?: Params
  /** Pending requests of the server. */
  asked?: readonly { id: unknown; method: string }[]
}

/** The method of the request that a response belongs to; `''`: none is pending. */
export function requestAnswered(message: unknown, { asked = [] }: ServerContext): string {
  const id = isObject(message) ? message.id : undefined
  return asked.find((one) => one.id === id)?.method ?? ''
}

/** The state without a server. */
export const noServer = (revision: Revision): ServerContext => ({
  revision,
  resources: [],
  templates: [],
  prompts: [],
  tools: [],
})

/** The schema of a whole message, depending on its content so far. */
export function frameSchema(message: unknown, server: ServerContext): Schema {
  const { revision } = server
  const { method, params } = isObject(message) ? message : {}
  const answer = isObject(message) && (message.result !== undefined || message.error !== undefined)
  return {
    $defs: definitions(revision),
    type: 'object',
    required: ['jsonrpc', ...(answer ? [] : ['method'])],
    properties: {
      jsonrpc: { const: '2.0', description: 'Always JSON-RPC 2.0.' },
      id: { $ref: '#/$defs/Id' },
      ...(answer
        ? { result: resultOf(message, server), error: { $ref: '#/$defs/Error' } }
        : {
            method: {
              enum: methodsOf(revision).map(({ name }) => name),
              description: 'Name of the request or notification.',
            },
            params: paramsSchema(String(method), isObject(params) ? params : {}, server),
          }),
    },
  }
}

function resultOf(message: unknown, server: ServerContext): Schema {
  const method = requestAnswered(message, server)
  return (method && schemaOf(server.revision, method, 'result')) || { type: 'object' }
}

/** The schema of params, with the arguments of the named prompt or tool. */
export function paramsSchema(method: string, params: Params, server: ServerContext): Schema {
  const { revision } = server
  const found = schemaOf(revision, method, 'params')
  if (!found) return { type: 'object' }
  const schema = resolve(found, found.$defs)
  const own =
    method === 'tools/call'
      ? server.tools.find(({ name }) => name === params.name)?.inputSchema
      : method === 'prompts/get'
        ? argumentsOf(server.prompts.find(({ name }) => name === params.name))
        : undefined
  if (!isObject(own)) return schema
  const description = schema.properties?.arguments?.description
  return {
    ...schema,
    properties: { ...schema.properties, arguments: { ...(own as Schema), description } },
  }
}

function argumentsOf(prompt: Prompt | undefined): Schema | undefined {
  if (!prompt) return undefined
  const all = (Array.isArray(prompt.arguments) ? prompt.arguments : []).filter(isObject)
  return {
    type: 'object',
    properties: Object.fromEntries(
      all.map(({ name, title, description }) => [
        String(name),
        { type: 'string', ...(title && { title }), ...(description && { description }) } as Schema,
      ]),
    ),
    required: all.filter(({ required }) => required).map(({ name }) => String(name)),
  }
}

/** The schemas of a value at a path; literals in the text select members of unions. */
export function schemasAt(root: Schema, path: Path, message: unknown): Schema[] {
  let here = arms(root, message, root)
  let value = message
  for (const step of path) {
    value = (value as { [step: string]: unknown } | undefined | null)?.[step]
    here = here.flatMap((schema) => {
      const inner =
        typeof step === 'number'
          ? schema.items
          : ((Object.hasOwn(schema.properties ?? {}, step)
              ? schema.properties?.[step]
              : undefined) ??
            (typeof schema.additionalProperties === 'object'
              ? schema.additionalProperties
              : undefined))
      return isObject(inner) ? arms(inner as Schema, value, root) : []
    })
  }
  return here
}

/** Maximum depth of nested unions: a tool's schema may refer to itself. */
const maxDepth = 8

function arms(given: Schema, value: unknown, root: Schema, depth = 0): Schema[] {
  if (depth > maxDepth) return []
  const schema = resolve(given, root.$defs)
  const either = schema.anyOf ?? schema.oneOf
  if (!Array.isArray(either)) return [schema]
  const all = either.flatMap((arm) => arms(arm, value, root, depth + 1))
  const described = all.map((arm) =>
    arm.description || !schema.description ? arm : { ...arm, description: schema.description },
  )
  const meant = described.filter(({ properties = {} }) =>
    Object.entries(properties).every(
      ([name, one]) =>
        one?.const === undefined ||
        !isObject(value) ||
        !(name in value) ||
        value[name] === one.const,
    ),
  )
  return meant.length ? meant : described
}
