/** Completions at a position of a message: keys, values of the schema, and what the server lists. */

import { getNodeValue } from 'jsonc-parser'
import { visible } from '../base/visible-text.ts'
import { endOf, jsonTree, nodeAt, placeAt } from '../protocol/json.ts'
import { methodsOf, missingCapability } from '../protocol/methods.ts'
import { envelope, type Params, revisions } from '../protocol/revisions.ts'
import type { Schema } from '../protocol/schema.ts'
import type { Path } from '../protocol/validate.ts'
import { blankOf } from './samples.ts'
import { frameSchema, type ServerContext, schemasAt } from './schema-at.ts'

export interface CompletionOption {
  /** The listed text. */
  label: string
  /** The JSON that replaces {@link Completions.from} to {@link Completions.to}. */
  insert: string
  /** A description of the schema or the server. */
  info?: string
  /** The capability that the server lacks for it; such options are listed last and greyed. */
  lacks?: string
  kind: 'key' | 'value' | 'method' | 'live'
  /** Of a key: whether the object requires it. */
  required?: boolean
}

/** A `completion/complete` request, for values that only the server knows. MCP server/utilities/completion. */
export interface CompletionQuery {
  ref: Params
  argument: { name: string; value: string }
  context?: Params
  /** Returns the JSON to insert for a completed value. */
  insert(value: string): string
}

export interface Completions {
  from: number
  to: number
  options: readonly CompletionOption[]
  query?: CompletionQuery
}

const quote = (value: unknown) => visible(JSON.stringify(value))

/** Completions at an offset of a text. */
export function completionsAt(source: string, offset: number, server: ServerContext): Completions {
  const { root } = jsonTree(source)
  const place = placeAt(source, root, offset)
  const message = root && getNodeValue(root)
  if (root === undefined && source.trim() === '') {
    const options = methodsOf(server.revision)
    return { from: 0, to: source.length, options: options.map((one) => methodOption(one, server)) }
  }
  const schema = frameSchema(message, server)
  const from = place.node?.offset ?? offset
  const to = place.node ? endOf(place.node) : offset
  if (place.key) {
    const schemas = schemasAt(schema, place.path, message)
    const keysThere = nodeAt(root, place.path)?.children?.map(({ children }) => children?.[0]) ?? []
    const written = new Set(
      keysThere.filter((key) => key?.offset !== from).map((key): string => key?.value),
    )
    const colon = place.node !== undefined && /^\s*:/.test(source.slice(to))
    return { from, to, options: keys(schemas, schema, written, colon, place.path, server) }
  }
  const schemas = schemasAt(schema, place.path, message)
  const live = liveValues(place.path, message, server)
  const options = [...live, ...values(schemas, place.path, server)]
  const typed = place.node?.type === 'string' ? place.node.value : ''
  return { from, to, options, query: queryAt(place.path, message, typed, server) }
}

function keys(
  schemas: readonly Schema[],
  root: Schema,
  written: ReadonlySet<string | undefined>,
  colon: boolean,
  path: Path,
  server: ServerContext,
): CompletionOption[] {
  const found = new Map<string, CompletionOption>()
  for (const { properties = {}, required = [] } of schemas) {
    for (const [name, schema] of Object.entries(properties)) {
      if (written.has(name) || found.has(name)) continue
      const blank =
        name === '_meta' && path.at(-1) === 'params'
          ? envelope(server.revision)
          : path.length === 2 && path[1] === '_meta'
            ? (envelope(server.revision)[name] ?? blankOf(schema, root.$defs))
            : blankOf(schema, root.$defs)
      found.set(name, {
        label: name,
        insert: colon ? quote(name) : `${quote(name)}: ${quote(blank ?? null)}`,
        info: schema.description,
        kind: 'key',
        ...(required.includes(name) && { required: true }),
      })
    }
  }
  return [...found.values()]
}

function values(schemas: readonly Schema[], path: Path, server: ServerContext): CompletionOption[] {
  if (path.length === 1 && path[0] === 'method') {
    return methodsOf(server.revision).map((method) => methodOption(method, server, true))
  }
  const found = new Map<string, CompletionOption>()
  const add = (value: unknown, info?: string) => {
    const insert = quote(value)
    if (!found.has(insert)) found.set(insert, { label: insert, insert, info, kind: 'value' })
  }
  for (const { const: literal, enum: either, type, description } of schemas) {
    if (literal !== undefined) add(literal, description)
    else if (either) for (const one of either) add(one, description)
    else if (type === 'boolean') for (const one of [true, false]) add(one, description)
    else if (type === 'object') add({}, description)
    else if (type === 'array') add([], description)
  }
  return [...found.values()]
}

function methodOption(
  method: ReturnType<typeof methodsOf>[number],
  { capabilities }: ServerContext,
  quoted = false,
): CompletionOption {
  const mine = method.from !== 'server'
  const lacks = mine && capabilities ? missingCapability(method, capabilities) : ''
  const insert = quoted ? quote(method.name) : quote({ jsonrpc: '2.0', method: method.name })
  return { label: method.name, insert, kind: 'method', ...(lacks && { lacks }) }
}

function liveValues(path: Path, message: unknown, server: ServerContext): CompletionOption[] {
  const { method, params } = (message ?? {}) as { method?: string; params?: Params }
  const live = (label: unknown, info?: unknown): CompletionOption => ({
    label: String(label),
    insert: quote(label),
    kind: 'live',
    ...(typeof info === 'string' && { info }),
  })
  const at = path.slice(1).join('.')
  if (path[0] !== 'params') return []
  if (at === 'uri' || /^notifications\.resourceSubscriptions\.\d+$/.test(at)) {
    return server.resources.map(({ uri, title, name }) => live(uri, title ?? name))
  }
  const ref = (params?.ref ?? {}) as Params
  switch (at) {
    case 'name': {
      const named = method === 'tools/call' ? server.tools : server.prompts
      return named.map(({ name, title, description }) => live(name, description ?? title))
    }
    case 'ref.uri':
      return server.templates.map(({ uriTemplate, title, name }) =>
        live(uriTemplate, title ?? name),
      )
    case 'ref.name':
      return server.prompts.map(({ name, title, description }) => live(name, description ?? title))
    case 'argument.name':
      return argumentNames(ref, server).map((name) => live(name))
    case '_meta.io.modelcontextprotocol/protocolVersion':
    case 'protocolVersion':
      return revisions.map((one) => live(one))
  }
  return []
}

function argumentNames(ref: Params, { templates, prompts }: ServerContext): string[] {
  if (ref.type === 'ref/resource') {
    const template = templates.find(({ uriTemplate }) => uriTemplate === ref.uri)
    return template ? variablesOf(template.uriTemplate) : []
  }
  const prompt = prompts.find(({ name }) => name === ref.name)
  return (prompt?.arguments ?? []).map(({ name }) => name)
}

/** Names of a template's variables (RFC 6570), in order, each once. */
export function variablesOf(template: string): string[] {
  const names = [...template.matchAll(/\{[+#./;?&]?([^{}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.replace(/(\*|:\d+)$/, '')),
  )
  return [...new Set(names.filter((name) => name !== ''))]
}

/** The completion request for a position: arguments of prompts, and variables in a URI. */
function queryAt(
  path: Path,
  message: unknown,
  typed: string,
  server: ServerContext,
): CompletionQuery | undefined {
  if (server.capabilities && server.capabilities.completions === undefined) return undefined
  const { method, params = {} } = (message ?? {}) as { method?: string; params?: Params }
  const at = path.slice(1).join('.')
  if (path[0] !== 'params') return undefined
  if (method === 'prompts/get' && path[1] === 'arguments' && path.length === 3) {
    const { [String(path[2])]: _, ...others } = (params.arguments ?? {}) as Params
    return {
      ref: { type: 'ref/prompt', name: params.name },
      argument: { name: String(path[2]), value: typed },
      ...(Object.keys(others).length > 0 && { context: { arguments: others } }),
      insert: quote,
    }
  }
  if (method === 'completion/complete' && at === 'argument.value') {
    const { ref, argument, context } = params as { [name: string]: Params | undefined }
    if (!ref || typeof argument?.name !== 'string') return undefined
    return { ref, argument: { name: argument.name, value: typed }, context, insert: quote }
  }
  if (at !== 'uri' && !/^notifications\.resourceSubscriptions\.\d+$/.test(at)) return undefined
  // the first variable of the first template that the typed prefix matches
  for (const { uriTemplate } of server.templates) {
    const [, before = '', name] = /^([^{]+)\{\+?([\w.%]+)\}/.exec(uriTemplate) ?? []
    if (!name || !typed.startsWith(before)) continue
    const rest = uriTemplate.slice(uriTemplate.indexOf('}') + 1)
    const more = rest.includes('{') ? '' : rest
    return {
      ref: { type: 'ref/resource', uri: uriTemplate },
      argument: { name, value: typed.slice(before.length) },
      insert: (value) => quote(before + encodeURIComponent(value) + more),
    }
  }
  return undefined
}
