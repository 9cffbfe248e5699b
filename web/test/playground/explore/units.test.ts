/** Search, filter and templates: pure. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Resource } from '../../../playground/connections/catalogue.ts'
import { minimalArguments } from '../../../playground/explore/actions.ts'
import {
  type Audience,
  byOrigin,
  matching,
  matchingFor,
} from '../../../playground/explore/matching.ts'
import { fillTemplate } from '../../../playground/explore/template.ts'

const all: Resource[] = [
  { uri: 'notes://b', name: 'b', title: 'Zebra', size: 5, annotations: { priority: 0.2 } },
  {
    uri: 'notes://a',
    name: 'a',
    title: 'Apple',
    size: 9,
    annotations: { audience: ['assistant'], priority: 1, lastModified: '2026-01-02T00:00:00Z' },
  },
  {
    uri: 'file:///docs/x.md',
    name: 'x.md',
    mimeType: 'text/markdown',
    annotations: { audience: ['user'], lastModified: '2026-05-01T00:00:00Z' },
  },
]

const choices: [what: string, { search?: string; audience?: Audience }, uris: string[]][] = [
  ['nothing asked', {}, ['notes://b', 'notes://a', 'file:///docs/x.md']],
  ['two words, in title and URI', { search: 'zeb NOTES' }, ['notes://b']],
  ['a MIME type', { search: 'markdown' }, ['file:///docs/x.md']],
  ['for people', { audience: 'user' }, ['notes://b', 'file:///docs/x.md']],
  ['for assistants', { audience: 'assistant' }, ['notes://b', 'notes://a']],
]
for (const [what, choice, uris] of choices) {
  test(`resources: ${what}`, () => {
    const got = matchingFor(all, choice.search ?? '', choice.audience ?? '')
    assert.deepEqual(
      got.map(({ uri }) => uri),
      uris,
    )
  })
}

const templates: [
  template: string,
  filled: Record<string, string>,
  partial: string,
  needed: string[],
  uri?: string,
][] = [
  ['notes://{id}', {}, 'notes://{id}', ['id']],
  ['notes://{id}', { id: 'a b' }, 'notes://a%20b', [], 'notes://a%20b'],
  ['file:///{+path}', { path: 'a/b' }, 'file:///a/b', [], 'file:///a/b'],
  ['s://n{?q,limit}', {}, 's://n', [], 's://n'],
  ['s://n{?q,limit}', { limit: '5' }, 's://n?limit=5', [], 's://n?limit=5'],
  ['x:/{a}/{b}', { b: '1' }, 'x:/{a}/1', ['a']],
  ['x:{/parts*}', { parts: 'a, b' }, 'x:/a/b', [], 'x:/a/b'],
  ['x:{a:2}', { a: 'abcd' }, 'x:ab', [], 'x:ab'],
]
for (const [template, filled, partial, needed, uri] of templates) {
  test(`${template} with ${JSON.stringify(filled)} is ${partial}`, () => {
    const got = fillTemplate(template, filled)
    assert.deepEqual([got.partial, got.needed, got.uri], [partial, needed, uri])
  })
}

test('a template that is none says why', () => {
  const { problem, uri } = fillTemplate('x:{a', { a: '1' })
  assert.equal(uri, undefined)
  assert.equal(typeof problem, 'string')
})

test('a tool is called with the least it needs', () => {
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string' },
      count: { type: 'integer', minimum: 3 },
      how: { enum: ['a', 'b'] },
      on: { type: 'boolean', default: true },
      more: { type: 'string' },
      inner: { type: 'object', properties: { list: { type: 'array' } }, required: ['list'] },
    },
    required: ['text', 'count', 'how', 'on', 'inner'],
  }
  assert.deepEqual(minimalArguments(schema), {
    text: '',
    count: 3,
    how: 'a',
    on: true,
    inner: { list: [] },
  })
  assert.deepEqual(minimalArguments(undefined), {})
})

test('the search looks at names, titles, URIs, templates, descriptions and types of all kinds', () => {
  const items = [
    { name: 'a', uri: 'notes://a', mimeType: 'text/plain' },
    { name: 'b', title: 'Read a note', uriTemplate: 'notes://{id}' },
    { name: 'write', description: 'Writes a Note.' },
  ]
  const names = (search: string) => matching(items, search).map(({ name }) => name)
  assert.deepEqual(names(''), ['a', 'b', 'write'])
  assert.deepEqual(names('NOTE'), ['a', 'b', 'write'])
  assert.deepEqual(names('{id}'), ['b'])
  assert.deepEqual(names('writes note'), ['write'])
  assert.deepEqual(names('plain notes'), ['a'])
  assert.deepEqual(names('undefined'), [])
})

test('templates that an app has made come first, then those of each source, at a gateway by page', () => {
  const groups = (...all: string[]) =>
    byOrigin(all.map((uriTemplate) => ({ name: 'x', uriTemplate }))).map(([group, items]) => [
      group,
      items.length,
    ])
  assert.deepEqual(
    groups('idb:///{db}', 'notes://{id}', 'find:{words}', 'idb:///{db}/{s}', 'tab:///{id}'),
    [
      ['', 2],
      ['idb:', 2],
      ['tab:', 1],
    ],
  )
  assert.deepEqual(groups('notes+idb:///{db}', 'notes+notes://{id}', 'tasks+idb:///{db}'), [
    ['notes+', 1],
    ['notes+idb:', 1],
    ['tasks+idb:', 1],
  ])
  assert.deepEqual(groups('hidb:{x}', 'x:tab:{y}', '{scheme}://{x}', 'a+b:{c}'), [
    ['', 3],
    ['a+', 1],
  ])
  assert.deepEqual(groups(), [])
})
