/** The composer's schema against the types of the official SDKs, and examples of each type. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Validator } from '@cfworker/json-schema'
import { specTypeSchemas } from '@modelcontextprotocol/client'
import * as classic from '@modelcontextprotocol/sdk/types.js'
import { toJSONSchema, type ZodType } from 'zod/v4'
import { methodsOf } from '../../../playground/protocol/methods.ts'
import { revisions } from '../../../playground/protocol/revisions.ts'
import {
  danglingNames,
  resolve,
  resultSchema,
  type Schema,
  schemaNamed,
  schemaOf,
} from '../../../playground/protocol/schema.ts'
import { named } from '../../harness/schemas.ts'

test('every name that the table uses is in the table, in each revision', () => {
  assert.deepEqual(danglingNames(), [])
  for (const revision of revisions) {
    for (const { name, params, result, kind } of methodsOf(revision)) {
      assert.ok(schemaNamed(revision, params), `${revision} ${name}: ${params}`)
      if (kind === 'request') assert.ok(schemaNamed(revision, result), `${revision} ${name}`)
    }
  }
})

test('2025-11-25 has the members of the types of SDK v1', () => {
  const problems: string[] = []
  let count = 0
  for (const [official, mine] of Object.entries(named)) {
    const ours = schemaNamed('2025-11-25', mine)
    const type = (classic as { readonly [name: string]: unknown })[`${official}Schema`]
    if (!ours || !type || mine === 'Error') continue
    count++
    const theirs = toJSONSchema(type as ZodType, { io: 'input', unrepresentable: 'any' }) as Schema
    same(official, ours, theirs, {}, problems)
  }
  // An object of any members is nothing that zod could write as JSON Schema.
  const real = problems.filter((problem) => !problem.endsWith(' is object, not '))
  assert.deepEqual(real, sdkDiffers)
  assert.ok(count >= 35, `only ${count} types`)
})

/** Where SDK v1 is not what the official schema of 2025-11-25 says. */
const sdkDiffers = [
  'ClientCapabilities has elicitation,experimental,roots,sampling,tasks, not elicitation,experimental,extensions,roots,sampling,tasks',
  'ClientCapabilities.elicitation.form has , not applyDefaults',
  'CreateMessageResult.content is array,object, not object',
  'CreateMessageResult.stopReason is string, not "endTurn","maxTokens","stopSequence",string',
  'InitializeResult.capabilities has completions,experimental,logging,prompts,resources,tasks,tools, not completions,experimental,extensions,logging,prompts,resources,tasks,tools',
  'Prompt.arguments[] has description,name,required,title, not description,name,required',
  'PromptArgument has description,name,required,title, not description,name,required',
  'ServerCapabilities has completions,experimental,logging,prompts,resources,tasks,tools, not completions,experimental,extensions,logging,prompts,resources,tasks,tools',
  'ToolResultContent requires content,toolUseId,type, not toolUseId,type',
  'CallToolResult requires content, not ',
  'ListPromptsResult.prompts[].arguments[] has description,name,required,title, not description,name,required',
]

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
      Object.keys(schema.properties ?? {}).filter(
        (name) => name !== '_meta' && !ofExtensions.includes(name),
      )
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

/** Members that extensions add to types of a revision. */
const ofExtensions = ['taskIds', 'eventsListChanged']

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

test('our examples of 2026-07-28 are valid, each against its own type', () => {
  const file = new URL('../../../../testdata/examples.json', import.meta.url)
  const examples = JSON.parse(readFileSync(file, 'utf8')) as { type: string; value: Example }[]
  const problems: string[] = []
  let count = 0
  let bySdk = 0
  for (const { type, value } of examples) {
    // The SDK's types are those of all revisions, so they cannot tell what is missing in one.
    const sdk = (specTypeSchemas as { readonly [name: string]: Sdk })[type]
    if (sdk) {
      bySdk++
      const { issues } = sdk['~standard'].validate(value)
      if (issues) problems.push(`${type}, by the SDK: ${JSON.stringify(issues)}`)
    }
    const schema = forExample(type, value)
    if (!schema) continue
    count++
    const { valid, errors } = new Validator(schema.schema as object, '2020-12').validate(
      schema.value,
    )
    if (!valid) problems.push(`${type}: ${JSON.stringify(errors[0])}`)
  }
  assert.deepEqual(problems, [])
  assert.ok(count >= 20 && bySdk >= 20, `only ${count} examples, ${bySdk} by the SDK`)
})

interface Sdk {
  '~standard': { validate(value: unknown): { issues?: unknown } }
}

interface Example {
  [name: string]: unknown
}

function forExample(type: string, example: Example) {
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
