/**
 * The composer's schema against the official ones, which are beside the project where it is developed,
 * and not a part of it: where they are missing, only the schema's own consistency is tested.
 */

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Validator } from '@cfworker/json-schema'
import { methodsOf } from '../../../playground/protocol/methods.ts'
import { type Revision, revisions } from '../../../playground/protocol/revisions.ts'
import {
  danglingNames,
  definitions,
  resolve,
  resultSchema,
  type Schema,
  schemaNamed,
  schemaOf,
} from '../../../playground/protocol/schema.ts'

const spec = fileURLToPath(new URL('../../../../../shared/spec/', import.meta.url))
const beside = existsSync(spec)
const skip = beside ? false : 'the official schemas are not here'

interface Official extends Schema {
  definitions?: { [name: string]: Schema }
}

function official(revision: Revision): { [name: string]: Schema } {
  const all = JSON.parse(readFileSync(`${spec}schema-${revision}.json`, 'utf8')) as Official
  return all.$defs ?? all.definitions ?? {}
}

test('every name that the table uses is in the table, in each revision', () => {
  assert.deepEqual(danglingNames(), [])
  for (const revision of revisions) {
    for (const { name, params, result, kind } of methodsOf(revision)) {
      assert.ok(schemaNamed(revision, params), `${revision} ${name}: ${params}`)
      if (kind === 'request') assert.ok(schemaNamed(revision, result), `${revision} ${name}`)
    }
  }
})

for (const revision of revisions) {
  test(`${revision} has the methods of the official schema, and no others`, { skip }, () => {
    const defs = official(revision)
    const alone = new Set<string>()
    for (const union of [
      'ClientRequest',
      'ServerRequest',
      'ClientNotification',
      'ServerNotification',
    ]) {
      const one = defs[union]
      for (const ref of one?.anyOf ?? (one ? [one] : [])) {
        const method = resolve(ref, defs).properties?.method?.const
        if (method) alone.add(String(method))
      }
    }
    assert.deepEqual(
      methodsOf(revision)
        .map(({ name }) => name)
        .sort(),
      [...alone].sort(),
    )
  })

  test(`${revision} has the members of the official schema, and requires the same`, {
    skip,
  }, () => {
    const defs = official(revision)
    const problems: string[] = []
    for (const [name, request] of Object.entries(defs)) {
      const method = request.properties?.method?.const
      if (!method || !name.match(/(Request|Notification)$/) || name.startsWith('Client')) continue
      const ours = schemaOf(revision, String(method), 'params')
      if (ours) {
        same(`${method}.params`, ours, request.properties?.params ?? {}, defs, problems)
      } else problems.push(`${method} is missing`)
      const result = defs[name.replace(/Request$/, 'Result')] ?? defs[results[name] ?? '']
      const ourResult = schemaOf(revision, String(method), 'result')
      if (name.endsWith('Request') && result && ourResult) {
        same(`${method}.result`, ourResult, result, defs, problems)
      }
    }
    // what hangs below a union is compared by its name
    for (const [theirs, mine] of Object.entries(named)) {
      const ours = schemaNamed(revision, mine)
      if (defs[theirs] && ours && mine !== 'Error') same(theirs, ours, defs[theirs], defs, problems)
    }
    assert.deepEqual(problems, [])
  })
}

/** Requests whose results are called otherwise. */
const results: { readonly [name: string]: string } = {
  PingRequest: 'EmptyResult',
  SubscribeRequest: 'EmptyResult',
  UnsubscribeRequest: 'EmptyResult',
  SetLevelRequest: 'EmptyResult',
}

/** Members and requirements of two schemas, all the way down; unions by the member that both name. */
function same(
  at: string,
  ours: Schema,
  theirs: Schema,
  defs: { [name: string]: Schema },
  problems: string[],
  seen = new Set<string>(),
  all = ours.$defs,
) {
  const a = flat(resolve(ours, all), all)
  const b = flat(resolve(theirs, defs), defs)
  const key = `${ours.$ref} ${theirs.$ref}`
  if (ours.$ref && theirs.$ref) {
    if (seen.has(key)) return
    seen.add(key)
  }
  if (a.type === 'object' && b.properties) {
    // the official schema leaves _meta out of some types, and lets any name through in all
    const names = (schema: Schema) =>
      Object.keys(schema.properties ?? {}).filter((name) => name !== '_meta')
    const requires = (schema: Schema) => (schema.required ?? []).slice().sort()
    const [mine, official] = [names(a).sort(), names(b).sort()]
    if (
      `${mine}` !== `${official}` &&
      !(mine.length === 0 && official.length > 0 && at.endsWith('*'))
    ) {
      if (!open.some((end) => at.endsWith(end))) problems.push(`${at} has ${mine}, not ${official}`)
    }
    if (`${requires(a)}` !== `${requires(b)}` && !open.some((end) => at.endsWith(end))) {
      problems.push(`${at} requires ${requires(a)}, not ${requires(b)}`)
    }
    for (const name of names(a)) {
      const [x, y] = [a.properties?.[name], b.properties?.[name]]
      if (x && y) same(`${at}.${name}`, x, y, defs, problems, seen, all)
    }
    return
  }
  if (a.items && b.items) return same(`${at}[]`, a.items, b.items, defs, problems, seen, all)
  const kinds = [kindsOf(a, all), kindsOf(b, defs)]
  if (`${kinds[0]}` !== `${kinds[1]}`) problems.push(`${at} is ${kinds[0]}, not ${kinds[1]}`)
}

/** What ours leaves open, being JSON Schema itself or data of an application. */
const open = ['inputSchema', 'outputSchema', 'requestedSchema', 'structuredContent']

function flat(schema: Schema, defs: Schema['$defs']): Schema {
  if (!schema.allOf) return schema
  const merged: Schema = { type: 'object', properties: {}, required: [] }
  for (const one of schema.allOf.map((part) => flat(resolve(part, defs), defs))) {
    Object.assign(merged.properties as object, one.properties)
    merged.required?.push(...(one.required ?? []))
  }
  return merged
}

/** The JSON types that a schema lets through. */
function kindsOf(schema: Schema, defs: Schema['$defs']): string[] {
  const found = resolve(schema, defs)
  const either = found.anyOf ?? found.oneOf
  if (either) return [...new Set(either.flatMap((one) => kindsOf(one, defs)))].sort()
  if (found.enum) return found.enum.map((value) => JSON.stringify(value)).sort()
  if (found.const !== undefined) return [JSON.stringify(found.const)]
  // the official schemas call some numbers integers and the other way round, where TypeScript has one
  const type = found.type === undefined ? [] : [found.type].flat()
  return type.map((one) => (one === 'integer' ? 'number' : one)).sort()
}

test('the examples of the specification are valid, each against its own type', { skip }, () => {
  const folder = `${spec}examples-2026-07-28/`
  const problems: string[] = []
  let count = 0
  for (const type of readdirSync(folder)) {
    for (const file of readdirSync(folder + type)) {
      const example = JSON.parse(readFileSync(`${folder}${type}/${file}`, 'utf8'))
      const schema = forExample(type, example)
      if (!schema) continue
      count++
      const { valid, errors } = new Validator(schema.schema as object, '2020-12').validate(
        schema.value,
      )
      const known = loose.includes(`${type}/${file}`)
      if (valid === known) problems.push(`${type}/${file}: ${JSON.stringify(errors[0])}`)
    }
  }
  assert.deepEqual(problems, [])
  assert.ok(count > 70, `only ${count} examples`)
})

/** An example of a result that lacks what its own type requires: the official union hides it. */
const loose = ['ReadResourceResultResponse/read-resource-result-response.json']

const named: { readonly [official: string]: string } = {
  AudioContent: 'AudioContent',
  BlobResourceContents: 'BlobContents',
  ClientCapabilities: 'ClientCapabilities',
  CreateMessageRequestParams: 'SamplingParams',
  CreateMessageResult: 'SamplingResult',
  ElicitRequestFormParams: 'ElicitForm',
  ElicitRequestURLParams: 'ElicitUrl',
  ElicitResult: 'ElicitResult',
  EmbeddedResource: 'EmbeddedResource',
  ImageContent: 'ImageContent',
  InputRequiredResult: 'InputRequired',
  InternalError: 'Error',
  InvalidParamsError: 'Error',
  ListRootsResult: 'RootsResult',
  MethodNotFoundError: 'Error',
  ModelPreferences: 'ModelPreferences',
  ParseError: 'Error',
  PaginatedRequestParams: 'Page',
  ProgressNotificationParams: 'ProgressNote',
  Resource: 'Resource',
  ResourceLink: 'ResourceLink',
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

function forExample(type: string, example: { [name: string]: unknown }) {
  const revision = '2026-07-28'
  if (typeof example.method === 'string') {
    const schema = schemaOf(revision, example.method, 'params')
    return schema && { schema, value: example.params ?? {} }
  }
  const method = methodsOf(revision).find(({ name }) => answers[type] === name)
  if (method) {
    const schema = resultSchema(revision, method.name, example.result)
    return schema && { schema, value: example.result }
  }
  const name = named[type]
  if (!name) return undefined
  const value = 'error' in example ? example.error : example
  return { schema: schemaNamed(revision, name) as Schema, value }
}

const answers: { readonly [official: string]: string } = {
  CallToolResultResponse: 'tools/call',
  CompleteResultResponse: 'completion/complete',
  DiscoverResultResponse: 'server/discover',
  GetPromptResultResponse: 'prompts/get',
  ListPromptsResultResponse: 'prompts/list',
  ListResourceTemplatesResultResponse: 'resources/templates/list',
  ListResourcesResultResponse: 'resources/list',
  ListToolsResultResponse: 'tools/list',
  ReadResourceResultResponse: 'resources/read',
  SubscriptionsListenResultResponse: 'subscriptions/listen',
}

test('what lacks a required member, or has one of a wrong type, is not valid', () => {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const good: [string, 'params' | 'result', { [name: string]: unknown }][] = [
    ['resources/read', 'params', { _meta: envelope, uri: 'notes://today' }],
    ['subscriptions/listen', 'params', { _meta: envelope, notifications: {} }],
    ['prompts/get', 'params', { _meta: envelope, name: 'plan' }],
    [
      'resources/list',
      'result',
      { resultType: 'complete', ttlMs: 0, cacheScope: 'private', resources: [] },
    ],
    ['completion/complete', 'result', { resultType: 'complete', completion: { values: ['a'] } }],
  ]
  for (const [method, part, value] of good) {
    const schema = schemaOf('2026-07-28', method, part) as object
    const validate = (candidate: unknown) =>
      new Validator(schema, '2020-12').validate(candidate as object).valid
    assert.ok(validate(value), method)
    for (const name of Object.keys(value)) {
      const { [name]: _, ...without } = value
      assert.ok(!validate(without), `${method} without ${name}`)
      assert.ok(!validate({ ...value, [name]: 7.5 }), `${method} with ${name} of another type`)
    }
  }
})

test('each member is described, but for literals and what a name says by itself', () => {
  const silent = Object.entries(definitions('2026-07-28')).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, schema]) => !schema.description && !('const' in schema) && !schema.enum)
      .map(([member]) => `${name}.${member}`),
  )
  const obvious = /^(RequestMeta|SamplingInput|ElicitInput|RootsInput)\./
  assert.deepEqual(
    silent.filter((member) => !obvious.test(member)),
    [],
  )
})
