/** What the composer offers, says and marks: pure functions over the text and what is known of the server. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completionsAt, variablesOf } from '../../../playground/compose/complete.ts'
import { hoverAt } from '../../../playground/compose/hover.ts'
import { textProblems } from '../../../playground/compose/problems.ts'
import { retryOf } from '../../../playground/compose/retry.ts'
import { frameFor } from '../../../playground/compose/samples.ts'
import { noServer, type ServerContext } from '../../../playground/compose/schema-at.ts'
import { withFreshId } from '../../../playground/compose/send.ts'
import { withoutId } from '../../../playground/protocol/json.ts'
import { methodsOf } from '../../../playground/protocol/methods.ts'
import { type Revision, request, revisions } from '../../../playground/protocol/revisions.ts'

const modern: Revision = '2026-07-28'

const server: ServerContext = {
  revision: modern,
  resources: [
    { uri: 'notes://today', name: 'Today' },
    { uri: 'clock://now', name: 'Clock' },
  ],
  templates: [{ uriTemplate: 'notes://{id}', name: 'A note' }],
  prompts: [{ name: 'plan', arguments: [{ name: 'day', required: true }, { name: 'mood' }] }],
  tools: [
    {
      name: 'add',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'integer' }, unit: { enum: ['kg', 'g'] } },
        required: ['a'],
      },
    },
  ],
  capabilities: { resources: {}, prompts: {}, completions: {} },
}

/** What is offered at `|`. */
function completionsOf(marked: string, known = server) {
  const offset = marked.indexOf('|')
  return completionsAt(marked.replace('|', ''), offset, known)
}

const labels = (marked: string, known?: ServerContext) =>
  completionsOf(marked, known).options.map(({ label }) => label)

test('keys of the frame and of params, without those that are written', () => {
  assert.deepEqual(labels('{ "jsonrpc": "2.0", | }'), ['id', 'method', 'params'])
  const inside = labels('{ "method": "resources/read", "params": { "uri": "a:b", | } }')
  assert.ok(inside.includes('_meta') && inside.includes('requestState') && !inside.includes('uri'))
})

test('the envelope is offered whole, and key by key', () => {
  const whole = completionsOf('{ "method": "resources/list", "params": { | } }').options
  assert.match(whole.find(({ label }) => label === '_meta')?.insert ?? '', /protocolVersion/)
  const keys = labels('{ "method": "resources/list", "params": { "_meta": { "|" } } }')
  assert.ok(keys.includes('io.modelcontextprotocol/logLevel'))
  const old = labels(
    '{ "method": "resources/list", "params": { "_meta": { "|" } } }',
    noServer('2025-11-25'),
  )
  assert.deepEqual(old, ['progressToken'])
})

test('methods of the revision, and what the server lacks for them', () => {
  const { options } = completionsOf('{ "method": "|" }')
  assert.deepEqual(
    options.map(({ label }) => label),
    methodsOf(modern).map(({ name }) => name),
  )
  assert.equal(options.find(({ label }) => label === 'tools/call')?.lacks, 'tools')
  assert.equal(options.find(({ label }) => label === 'resources/read')?.lacks, undefined)
})

test('URIs, names, enumerations and literals', () => {
  assert.deepEqual(labels('{ "method": "resources/read", "params": { "uri": "|" } }'), [
    'notes://today',
    'clock://now',
  ])
  const listen =
    '{ "method": "subscriptions/listen", "params": { "notifications": { "resourceSubscriptions": [|] } } }'
  assert.deepEqual(labels(listen), ['notes://today', 'clock://now'])
  assert.deepEqual(labels('{ "method": "prompts/get", "params": { "name": "|" } }'), ['plan'])
  assert.deepEqual(
    labels('{ "method": "completion/complete", "params": { "ref": { "type": "|" } } }'),
    ['"ref/prompt"', '"ref/resource"'],
  )
  assert.ok(
    labels(
      '{ "method": "logging/setLevel", "params": { "level": "|" } }',
      noServer('2025-11-25'),
    ).includes('"warning"'),
  )
})

test('arguments as the tool or the prompt at hand wants them', () => {
  const call = '{ "method": "tools/call", "params": { "name": "add", "arguments": { | } } }'
  assert.deepEqual(labels(call), ['a', 'unit'])
  const unit = '{ "method": "tools/call", "params": { "name": "add", "arguments": { "unit": | } } }'
  assert.deepEqual(labels(unit), ['"kg"', '"g"'])
  const get = '{ "method": "prompts/get", "params": { "name": "plan", "arguments": { | } } }'
  assert.deepEqual(labels(get), ['day', 'mood'])
})

test('the server is asked for variables of templates and arguments of prompts', () => {
  const uri = completionsOf(
    '{ "method": "resources/read", "params": { "uri": "notes://to|" } }',
  ).query
  assert.deepEqual(uri?.ref, { type: 'ref/resource', uri: 'notes://{id}' })
  assert.deepEqual(uri?.argument, { name: 'id', value: 'to' })
  assert.equal(uri?.insert('to do'), '"notes://to%20do"')
  const args = '"arguments": { "mood": "good", "day": "m|" }'
  const prompt = completionsOf(
    `{ "method": "prompts/get", "params": { "name": "plan", ${args} } }`,
  ).query
  assert.deepEqual(prompt?.argument, { name: 'day', value: 'm' })
  assert.deepEqual(prompt?.context, { arguments: { mood: 'good' } })
  const none = { ...server, capabilities: { resources: {} } }
  assert.equal(
    completionsOf('{ "method": "resources/read", "params": { "uri": "notes://to|" } }', none).query,
    undefined,
  )
  assert.deepEqual(variablesOf('a/{b}{?c,d*}{/e:3}{b}'), ['b', 'c', 'd', 'e'])
})

test('hovers say what a member is, and where the specification has it', () => {
  const source = JSON.stringify(request(modern, 1, 'resources/read', { uri: 'notes://today' }))
  const hover = hoverAt(source, source.indexOf('"uri"') + 1, server)
  assert.equal(hover?.name, 'uri')
  assert.equal(hover?.required, true)
  assert.equal(hover?.type, 'string')
  assert.match(hover?.link?.url ?? '', /2026-07-28\/server\/resources/)
  const method = hoverAt(source, source.indexOf('resources/read'), server)
  assert.equal(method?.sentence?.key, 'explain.method.resources/read')
  const version = hoverAt(source, source.indexOf('/protocolVersion'), server)
  assert.match(version?.doc ?? '', /revision/)
})

test('what is wrong is marked where it is', () => {
  const source =
    '{\n  "jsonrpc": "2.0",\n  "id": 1.5,\n  "method": "resources/read",\n  "params": { "uri": 7 }\n}'
  const found = textProblems(source, { ...server, revision: '2025-11-25' })
  assert.deepEqual(
    found.map(({ from, to, sentence }) => [source.slice(from, to), sentence.key]),
    [
      ['1.5', 'explain.hint.idType'],
      ['7', 'explain.hint.type'],
    ],
  )
  const [missing] = textProblems(source.replace('"uri": 7', ''), {
    ...server,
    revision: '2025-11-25',
  }).slice(1)
  assert.equal(missing?.sentence.params?.member, 'params.uri')
  const torn = '{"jsonrpc":"2.0",'
  assert.deepEqual(
    textProblems(torn, server).map(({ from, sentence }) => [from, sentence.key]),
    [[16, 'explain.hint.json']],
  )
  assert.deepEqual(
    textProblems(frameFor(modern, 'tools/list', 1), server).map(({ severity }) => severity),
    ['warning'],
  )
})

test('a tool or prompt that the server does not list is marked, with the nearest name', () => {
  const call = (name: string) => textProblems(frameFor(modern, 'tools/call', 1, { name }), listing)
  const tool = { name: 'add_note', inputSchema: { type: 'object' } }
  const listing = { ...noServer(modern), tools: [tool], capabilities: { tools: {} } }
  const marked = (name: string) => call(name).map(({ sentence }) => sentence)
  assert.deepEqual(marked('add_note'), [])
  assert.deepEqual(marked('ad_note'), [
    { key: 'explain.hint.unlistedNear', params: { asked: 'ad_note', nearest: 'add_note' } },
  ])
  assert.deepEqual(marked('zzz'), [{ key: 'explain.hint.unlisted', params: { asked: 'zzz' } }])
  const unknown = textProblems(frameFor(modern, 'tools/call', 1, { name: 'x' }), noServer(modern))
  assert.deepEqual(unknown, [], 'the list is not known')
})

test('a frame of any method of any revision is right from the beginning', () => {
  for (const revision of revisions) {
    for (const { name } of methodsOf(revision)) {
      assert.deepEqual(
        textProblems(frameFor(revision, name, 1), noServer(revision)),
        [],
        `${revision} ${name}`,
      )
    }
  }
})

test('an answer is held against what it answers', () => {
  const asked = { ...noServer('2025-11-25'), asked: [{ id: 7, method: 'roots/list' }] }
  const answer = '{"jsonrpc":"2.0","id":7,"result":{"roots":[{}]}}'
  const [flaw] = textProblems(answer, asked)
  assert.equal(flaw?.sentence.params?.member, 'result.roots[0].uri')
  assert.deepEqual(textProblems(answer, noServer('2025-11-25')), [])
  assert.ok(labels('{"jsonrpc":"2.0","id":7,"result":{ "roots": [{ | }] }}', asked).includes('uri'))
})

test('a fresh id takes the place of a number, and touches nothing else', () => {
  const next = () => 8
  assert.equal(withFreshId('{ "id" : 1,"method":"ping"}', next), '{ "id" : 8,"method":"ping"}')
  for (const text of [
    '{"id":"1","method":"ping"}',
    '{"method":"ping"}',
    '{"id":1,"result":{}}',
    '{"id":1,"method":',
    '{"id":{},"method":"ping"}',
  ]) {
    assert.equal(withFreshId(text, next), text)
  }
})

test('a request without its id is a notification, and otherwise the same', () => {
  assert.equal(withoutId('{"jsonrpc":"2.0","id":1,"method":"x"}'), '{"jsonrpc":"2.0","method":"x"}')
  assert.equal(withoutId('{"method":"x", "id": 1}'), '{"method":"x"}')
  assert.equal(withoutId('{"id":1}'), '{}')
  assert.equal(withoutId('{"method":"x"}'), '{"method":"x"}')
})

test('a result that needs input becomes the request once more, with answers to fill in', () => {
  const asked = JSON.stringify(request(modern, 1, 'tools/call', { name: 'remove' }))
  const requestedSchema = { type: 'object', properties: { confirmed: { type: 'boolean' } } }
  const answer = (result: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })
  const retry = retryOf(
    asked,
    answer({
      resultType: 'input_required',
      inputRequests: {
        a: { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema } },
        b: { method: 'roots/list' },
      },
      requestState: 's',
    }),
    modern,
  )
  assert.deepEqual(retry?.asks, ['elicitation/create', 'roots/list'])
  const { params } = JSON.parse(retry?.text ?? '')
  assert.equal(params.name, 'remove')
  assert.equal(params.requestState, 's')
  assert.deepEqual(params.inputResponses, {
    a: { action: 'accept', content: { confirmed: false } },
    b: { roots: [] },
  })
  assert.deepEqual(textProblems(retry?.text ?? '', noServer(modern)), [])
  assert.equal(retryOf(asked, answer({ resultType: 'complete' }), modern), undefined)
  assert.equal(retryOf(asked, '{', modern), undefined)
})
