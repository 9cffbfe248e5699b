/**
 * JSON Schemas of all five revisions, made of the playground's table of types: what tests compare messages with where
 * the official schemas are not beside the project. Types have their official names. Types below them keep the names of
 * the table. test/playground/protocol/schema.test.ts compares them with the types of the official SDKs.
 *
 *     node schemas.ts DIRECTORY    writes schema-REVISION.json for each revision
 */

import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definitions, type Schema } from '../../playground/protocol/schema.ts'

export const revisions = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const
export type Revision = (typeof revisions)[number]

/** The names in types.ts of the types that messages are made of, by their official names. */
export const named: { readonly [official: string]: string } = {
  AudioContent: 'AudioContent',
  BlobResourceContents: 'BlobContents',
  ClientCapabilities: 'ClientCapabilities',
  CreateMessageRequestParams: 'SamplingParams',
  CreateMessageResult: 'SamplingResult',
  ElicitRequestFormParams: 'ElicitForm',
  ElicitRequestURLParams: 'ElicitUrl',
  ElicitResult: 'ElicitResult',
  EmbeddedResource: 'EmbeddedResource',
  EmptyResult: 'EmptyResult',
  ImageContent: 'ImageContent',
  Implementation: 'Implementation',
  InitializeResult: 'InitializeResult',
  InputRequiredResult: 'InputRequired',
  InternalError: 'Error',
  InvalidParamsError: 'Error',
  ListRootsResult: 'RootsResult',
  MethodNotFoundError: 'Error',
  ModelPreferences: 'ModelPreferences',
  ParseError: 'Error',
  PaginatedRequestParams: 'Page',
  ProgressNotificationParams: 'ProgressNote',
  Prompt: 'Prompt',
  PromptArgument: 'PromptArgument',
  Resource: 'Resource',
  ResourceLink: 'ResourceLink',
  ResourceTemplate: 'Template',
  Root: 'Root',
  SamplingMessage: 'SamplingMessage',
  ServerCapabilities: 'ServerCapabilities',
  TextContent: 'TextContent',
  TextResourceContents: 'TextContents',
  Tool: 'Tool',
  ToolResultContent: 'ToolOutcome',
  ToolUseContent: 'ToolUse',
  CallToolRequestParams: 'CallParams',
  CompleteRequestParams: 'CompleteParams',
  CallToolResult: 'CallResult',
  CompleteResult: 'CompleteResult',
  DiscoverResult: 'DiscoverResult',
  GetPromptResult: 'PromptResult',
  ListPromptsResult: 'PromptsResult',
  ListResourceTemplatesResult: 'TemplatesResult',
  ListResourcesResult: 'ResourcesResult',
  ListToolsResult: 'ToolsResult',
  ReadResourceResult: 'ReadResult',
  SubscriptionsListenResult: 'ListenResult',
}

/** Messages that a server sends: method and params. */
const messages: { readonly [official: string]: readonly [method: string, params: string] } = {
  PingRequest: ['ping', 'Bare'],
  CreateMessageRequest: ['sampling/createMessage', 'SamplingParams'],
  ElicitRequest: ['elicitation/create', 'ElicitParams'],
  ListRootsRequest: ['roots/list', 'Bare'],
  CancelledNotification: ['notifications/cancelled', 'CancelledNote'],
  ProgressNotification: ['notifications/progress', 'ProgressNote'],
  LoggingMessageNotification: ['notifications/message', 'LogNote'],
  ResourceUpdatedNotification: ['notifications/resources/updated', 'UpdatedNote'],
  ResourceListChangedNotification: ['notifications/resources/list_changed', 'Note'],
  PromptListChangedNotification: ['notifications/prompts/list_changed', 'Note'],
  ToolListChangedNotification: ['notifications/tools/list_changed', 'Note'],
  SubscriptionsAcknowledgedNotification: [
    'notifications/subscriptions/acknowledged',
    'Acknowledged',
  ],
  ElicitationCompleteNotification: ['notifications/elicitation/complete', 'ElicitedNote'],
}

/** Requests of a server that 2026-07-28 has inside of results alone. */
const classicOnly = ['PingRequest', 'CreateMessageRequest', 'ElicitRequest', 'ListRootsRequest']

/** What 2025-06-18 has and 2025-03-26 has not: members, and whole types. */
const since202506 = [
  'Annotations.lastModified',
  'AudioContent._meta',
  'BlobContents._meta',
  'CallResult.structuredContent',
  'ClientCapabilities.elicitation',
  'CompleteParams.context',
  'EmbeddedResource._meta',
  'ImageContent._meta',
  'Implementation.title',
  'Prompt._meta',
  'Prompt.title',
  'PromptArgument.title',
  'PromptRef.title',
  'Resource._meta',
  'Resource.title',
  'Root._meta',
  'Template._meta',
  'Template.title',
  'TextContent._meta',
  'TextContents._meta',
  'Tool._meta',
  'Tool.outputSchema',
  'Tool.title',
  'ElicitForm',
  'ElicitParams',
  'ElicitResult',
  'ResourceLink',
]

/** What 2025-03-26 has and 2024-11-05 has not. */
const since202503 = [
  'AudioContent',
  'ProgressNote.message',
  'ServerCapabilities.completions',
  'Tool.annotations',
  'ToolAnnotations',
]

type Types = { [name: string]: Schema }

/** The types of a revision, by their names in types.ts. */
export function typesOf(revision: Revision): Types {
  if (revision !== '2024-11-05' && revision !== '2025-03-26') {
    return structuredClone(definitions(revision)) as Types
  }
  const types = structuredClone(definitions('2025-06-18')) as Types
  const absent = revision === '2024-11-05' ? [...since202506, ...since202503] : since202506
  for (const name of absent) remove(types, name)
  return types
}

/** Removes a member, or a type and what refers to it as one of several. */
function remove(types: Types, name: string) {
  const [type = '', member] = name.split('.')
  if (!types[type]) throw new Error(`types.ts has no type ${type}`)
  if (member === undefined) {
    delete types[type]
    const ref = `#/$defs/${type}`
    const prune = (schema: Schema) => {
      if (schema.anyOf) schema.anyOf = schema.anyOf.filter(({ $ref }) => $ref !== ref)
      for (const inner of Object.values(schema.properties ?? {})) prune(inner)
      if (schema.items) prune(schema.items)
    }
    for (const schema of Object.values(types)) prune(schema)
    return
  }
  if (!types[type].properties?.[member]) throw new Error(`${type} has no member ${member}`)
  delete types[type].properties[member]
}

const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` })
const object = (properties: Types, ...optional: string[]): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})
const version: Schema = { type: 'string', const: '2.0' }
const anything: Schema = { type: 'object' }

/** The schema of a revision, in the form of the official file. */
export function schemaOf(revision: Revision): { $schema: string; $defs: Types } {
  const all = typesOf(revision)
  const modern = revision === '2026-07-28'
  const old = revision < '2025-11-25'
  for (const [name, schema] of Object.entries(all)) {
    // Keys of _meta, members of a JSON Schema, and results of unknown methods are for others to define.
    if (/Meta$|^(ObjectSchema|FormSchema|Result|AnyResult)$/.test(name) && schema.properties) {
      schema.additionalProperties = true
    }
    // All params may have _meta, though some types leave it out.
    if (!modern && /^(SamplingParams|ElicitForm|ElicitUrl)$/.test(name)) {
      schema.properties = { _meta: {}, ...schema.properties }
    }
  }
  const $defs: Types = {}
  for (const [official, mine] of Object.entries(named)) {
    if (all[mine] && mine !== 'Error') $defs[official] = ref(mine)
  }
  for (const [official, [method, params]] of Object.entries(messages)) {
    if (!all[params] || (modern && classicOnly.includes(official))) continue
    const needed = params !== 'Note' && params !== 'Bare'
    const whole = { method: { type: 'string', const: method }, params: ref(params) }
    $defs[official] = object(whole, ...(needed ? [] : ['params']))
  }
  const request = { jsonrpc: version, id: ref('Id'), method: { type: 'string' }, params: anything }
  const { id: _, ...notification } = request
  $defs.JSONRPCRequest = object(request, 'params')
  $defs.JSONRPCNotification = object(notification, 'params')
  $defs[old ? 'JSONRPCResponse' : 'JSONRPCResultResponse'] = object({
    jsonrpc: version,
    id: ref('Id'),
    result: anything,
  })
  const failed = { jsonrpc: version, id: ref('Id'), error: ref('Error') }
  if (old) $defs.JSONRPCError = object(failed)
  else $defs.JSONRPCErrorResponse = object(failed, 'id')
  if (modern) Object.assign($defs, errors())
  const clash = Object.keys($defs).find((name) => {
    const same = all[name]
    return same && $defs[name]?.$ref !== `#/$defs/${name}`
  })
  if (clash) throw new Error(`${clash} is the official name of one type, and our name of another`)
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: { ...$defs, ...all } }
}

/** Errors of 2026-07-28: the first are error objects, the others whole responses. */
function errors(): Types {
  const codes = {
    ParseError: -32700,
    InvalidRequestError: -32600,
    MethodNotFoundError: -32601,
    InvalidParamsError: -32602,
    InternalError: -32603,
  }
  const error = (code: number, data: Schema | undefined) =>
    object(
      { code: { const: code }, message: { type: 'string' }, data: data ?? {} },
      ...(data ? [] : ['data']),
    )
  const whole = (code: number, data?: Schema) =>
    object({ jsonrpc: version, id: ref('Id'), error: error(code, data) }, 'id')
  const text: Schema = { type: 'string' }
  return {
    ...Object.fromEntries(
      Object.entries(codes).map(([name, code]) => [name, error(code, undefined)]),
    ),
    HeaderMismatchError: whole(-32020),
    MissingRequiredClientCapabilityError: whole(
      -32021,
      object({ requiredCapabilities: ref('ClientCapabilities') }),
    ),
    UnsupportedProtocolVersionError: whole(
      -32022,
      object({ supported: { type: 'array', items: text }, requested: text }),
    ),
  }
}

if (process.argv[1] === import.meta.filename) {
  const directory = process.argv[2]
  if (directory === undefined) throw new Error('usage: node schemas.ts DIRECTORY')
  mkdirSync(directory, { recursive: true })
  for (const revision of revisions) {
    // Several processes may write at once: each file appears whole.
    const file = join(directory, `schema-${revision}.json`)
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(schemaOf(revision)))
    renameSync(`${file}.${process.pid}`, file)
  }
}
