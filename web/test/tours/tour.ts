/** The tour itself: everything that MCP offers, once, on the conformance page, with whatever client. */

import assert from 'node:assert/strict'
import type { Subject } from '../conformance/subject.ts'
import { askUntil, listUntil } from '../e2e/again.ts'
import { answers, type Guide } from './guide.ts'

/** How names and URIs of the page look where the client is. */
export interface Place {
  uri(own: string): string
  name(own: string): string
}

/** On the page's own endpoint: as they are. */
export const alone: Place = { uri: (own) => own, name: (own) => own }

/** Among all pages: with the page's prefix. */
export const among: Place = {
  uri: (own) => `conformance+${own}`,
  name: (own) => `conformance__${own}`,
}

/** Walks through all of it, and closes the client. */
export async function tour(guide: Guide, at: Place, { page, change }: Subject): Promise<void> {
  try {
    await resources(guide, at)
    await prompts(guide, at)
    await tools(guide, at)
    await questions(guide, at)
    await news(guide, at, change)
    await cancel(guide, at, page)
  } finally {
    await guide.close()
  }
}

async function resources(guide: Guide, at: Place) {
  const uris = ['test://static-text', 'test://static-binary', 'test://watched-resource']
  await listUntil(guide.resources, ...uris.map(at.uri))
  const templates = [at.uri('test://template/{id}/data')]
  assert.deepEqual(await listUntil(guide.templates, ...templates), templates)
  const text = await guide.read(at.uri('test://static-text'))
  assert.equal(text.uri, at.uri('test://static-text'))
  assert.equal(text.mimeType, 'text/plain')
  assert.equal(text.text, 'This is the content of the static text resource.')
  const image = await guide.read(at.uri('test://static-binary'))
  assert.equal(image.mimeType, 'image/png')
  assert.equal(
    Buffer.from(image.blob ?? '', 'base64')
      .subarray(1, 4)
      .toString(),
    'PNG',
  )
  const data = await guide.read(at.uri('test://template/12%203/data'))
  const wanted = { id: '12 3', templateTest: true, data: 'Data for ID: 12 3' }
  assert.deepEqual(JSON.parse(data.text ?? ''), wanted)
  await assert.rejects(guide.read(at.uri('test://nowhere')), { code: guide.notFound })
  const template = { type: 'ref/resource', uri: at.uri('test://template/{id}/data') } as const
  assert.deepEqual(await guide.complete(template, 'id', '12'), ['12', '123', '124'])
}

async function prompts(guide: Guide, at: Place) {
  const names = ['test_simple_prompt', 'test_prompt_with_arguments', 'test_prompt_with_image']
  await listUntil(guide.prompts, ...names.map(at.name))
  const name = at.name('test_prompt_with_arguments')
  const filled = await guide.prompt(name, { arg1: 'hello', arg2: 'world' })
  assert.equal(filled.text, "Prompt with arguments: arg1='hello', arg2='world'")
  const shown = await guide.prompt(at.name('test_prompt_with_image'))
  assert.deepEqual(shown.types, ['image', 'text'])
  await assert.rejects(guide.prompt(name, { arg1: 'hello' }), { code: -32602 })
  await assert.rejects(guide.prompt(at.name('test_no_prompt')), { code: -32602 })
  const values = await guide.complete({ type: 'ref/prompt', name }, 'arg1', 'par')
  assert.deepEqual(values, ['paris', 'park', 'party'])
}

async function tools(guide: Guide, at: Place) {
  const names = ['test_simple_text', 'test_tool_with_progress', 'json_schema_2020_12_tool']
  await listUntil(guide.tools, ...names.map(at.name))
  const simple = await guide.call(at.name('test_simple_text'))
  assert.equal(simple.text, 'This is a simple text response for testing.')
  const mixed = await guide.call(at.name('test_multiple_content_types'))
  assert.deepEqual(mixed.types, ['text', 'image', 'resource'])
  const sum = await guide.call(at.name('test_structured_content'), { a: 19, b: 23 })
  assert.deepEqual(sum.structured, { sum: 42 })
  const wrong = await guide.call(at.name('test_structured_content'), { a: 'nineteen', b: 23 })
  assert.equal(wrong.isError, true)
  assert.match(wrong.text, /\ba\b/) // which argument it is
  const failed = await guide.call(at.name('test_error_handling'))
  assert.equal(failed.isError, true)
  assert.equal(failed.text, 'This tool intentionally returns an error for testing')
  const seen: [number, number | undefined][] = []
  const progress = (done: number, total: number | undefined) => seen.push([done, total])
  const slow = await guide.call(at.name('test_tool_with_progress'), {}, { progress })
  assert.equal(slow.isError, false)
  const steps = [
    [0, 100],
    [50, 100],
    [100, 100],
  ]
  // The SDKs forget the handler with the answer, before they hand over notifications of the same chunk. On a busy machine
  // all may be in one. That progress arrives is seen by `cancel`.
  assert.deepEqual(seen, steps.slice(0, seen.length))
}

/** What the page asks of the client: by input_required in the one era, by requests in the other. */
async function questions(guide: Guide, at: Place) {
  const prefix = 'test_input_required_result'
  const greeted = await guide.call(at.name(`${prefix}_elicitation`))
  assert.equal(greeted.text, `Hello, ${answers.form.name}!`)
  const sampled = await guide.call(at.name('test_sampling'), { prompt: 'Which city?' })
  assert.equal(sampled.text, `LLM response: ${answers.sampled}`)
  const rooted = await guide.call(at.name(`${prefix}_list_roots`))
  assert.equal(rooted.text, `Roots: ${answers.roots[0]?.uri}`)
  const both = await guide.call(at.name(`${prefix}_multi_round`))
  assert.equal(both.text, `${answers.form.name} likes ${answers.form.color}.`)
}

async function news(guide: Guide, at: Place, change: () => Promise<void>) {
  const uri = at.uri('test://watched-resource')
  const watch = await guide.watch({ uri })
  const before = (await guide.read(uri)).text
  const came = watch.next()
  await change()
  await came
  assert.notEqual((await guide.read(uri)).text, before)
  await watch.end()
  const passing = at.name('test_passing_tool')
  const tools = () => listUntil(guide.tools, at.name('test_trigger_tool_change'))
  const had = (await tools()).includes(passing)
  const list = await guide.watch('tools')
  const changed = list.next()
  await guide.call(at.name('test_trigger_tool_change'))
  await changed
  await askUntil(
    `${passing} is ${had ? 'gone' : 'listed'}`,
    tools,
    (names) => names.includes(passing) !== had,
  )
  await list.end()
}

/** A call that is given up is given up in the page as well. */
async function cancel(guide: Guide, at: Place, page: Subject['page']) {
  const given = new AbortController()
  const call = guide.call(
    at.name('test_slow'),
    {},
    {
      signal: given.signal,
      progress: () => given.abort(),
    },
  )
  await assert.rejects(call)
  await page.waitForFunction(() => document.documentElement.dataset.slow === 'cancelled', {
    timeout: 20_000,
    polling: 100,
  })
}
