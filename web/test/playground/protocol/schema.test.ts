/**
 * The composer's schema against the official ones where they are beside the project, and always against the types of
 * the official SDKs that are installed, and against digests of what was compared with the official ones.
 */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Validator } from '@cfworker/json-schema'
import { specTypeSchemas } from '@modelcontextprotocol/client'
import * as classic from '@modelcontextprotocol/sdk/types.js'
import { toJSONSchema, type ZodType } from 'zod/v4'
import { extensionId, methodsOf } from '../../../playground/protocol/methods.ts'
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
import {
  type Revision as AnyRevision,
  revisions as allRevisions,
  named,
  typesOf,
} from '../../harness/schemas.ts'

const spec = fileURLToPath(new URL('../../../../../shared/spec/', import.meta.url))
const beside = existsSync(spec)

interface Official extends Schema {
  definitions?: { [name: string]: Schema }
}

function official(revision: AnyRevision): { [name: string]: Schema } {
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

/**
 * SHA-256 of each revision's methods and types without their descriptions, as they were when the tests below compared
 * them with the official schemas: who changes the tables runs these tests with the schemas beside the project.
 */
const compared: { readonly [revision in AnyRevision]: string } = {
  '2024-11-05': '10637f3b419cad99b612f7f4338f6d87a07440aad20bcd314e31f9e14796c415',
  '2025-03-26': 'd2009077c2f825392b725f0810377e918634956c4ec6a474f7b122054b21693e',
  '2025-06-18': '3270762f6ad57e30b18071ce05d3e6a23bb9ee36886b641fab5f8e7c0ae67f59',
  '2025-11-25': '1aa5b775dc2896b090554a0d8a5b3ce0031a2ca5a73b0d5fb666aa846ee06c43',
  '2026-07-28': 'f6ddfda292c20d01043143336c390f4668c269a66c7252d1d36681be5384ff56',
}

for (const revision of allRevisions) {
  test(`${revision} is what was compared with the official schema`, () => {
    if (beside) {
      assert.deepEqual(typesThatDiffer(revision), [])
      if (isOurs(revision)) {
        assert.deepEqual(methodsThatDiffer(revision), [])
        assert.deepEqual(messagesThatDiffer(revision), [])
      }
    }
    assert.equal(digest(revision), compared[revision])
  })
}

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

const isOurs = (revision: AnyRevision): revision is Revision =>
  (revisions as readonly string[]).includes(revision)

function digest(revision: AnyRevision): string {
  const methods = isOurs(revision)
    ? methodsOf(revision).map(({ name, kind, params, result }) => [name, kind, params, result])
    : []
  const text = JSON.stringify([methods, typesOf(revision)], (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  )
  return createHash('sha256').update(text).digest('hex')
}

function methodsThatDiffer(revision: Revision): string[] {
  const defs = official(revision)
  const theirs = new Set<string>()
  for (const union of [
    'ClientRequest',
    'ServerRequest',
    'ClientNotification',
    'ServerNotification',
  ]) {
    const one = defs[union]
    for (const ref of one?.anyOf ?? (one ? [one] : [])) {
      const method = resolve(ref, defs).properties?.method?.const
      if (method) theirs.add(String(method))
    }
  }
  const own = methodsOf(revision).filter((method) => extensionId(method) === undefined)
  const ours = new Set(own.map(({ name }) => name))
  return [...ours, ...theirs].filter((name) => !ours.has(name) || !theirs.has(name))
}

function messagesThatDiffer(revision: Revision): string[] {
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
  return problems
}

/** What hangs below a union is compared by its name. */
function typesThatDiffer(revision: AnyRevision): string[] {
  const defs = official(revision)
  const $defs = typesOf(revision)
  const problems: string[] = []
  for (const [theirs, mine] of Object.entries(named)) {
    const ours = $defs[mine]
    if (!ours !== !defs[theirs] && mine !== 'Error' && !theirs.endsWith('Params')) {
      problems.push(`${theirs} is in one of both`)
    }
    if (!defs[theirs] || !ours || mine === 'Error') continue
    same(theirs, { $ref: `#/$defs/${mine}`, $defs }, defs[theirs], defs, problems)
  }
  return problems
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

if (beside) {
  test('the examples of the specification are valid, each against its own type', () => {
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
}

/** An example of a result that lacks what its own type requires: the official union hides it. */
const loose = ['ReadResourceResultResponse/read-resource-result-response.json']

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
