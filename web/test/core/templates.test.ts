// What of a URI is which variable of a template: testdata/uritemplate-matches.json, the same table that Go is held to.
//

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { resultOf } from '../harness/client.ts'
import { testPage } from './page.ts'

type Row = [template: string, uri: string, variables: object | null]

const file = new URL('../../../testdata/uritemplate-matches.json', import.meta.url)

test('a provider gets the variables of a URI as the table has them', async (t) => {
  const rows: Row[] = JSON.parse(await readFile(file, 'utf8'))
  const { mcp, client, errors } = await testPage(t)
  const one = client()
  for (const [uriTemplate, uri, variables] of rows) {
    const remove = mcp.resources(uriTemplate, { name: 't', read: (found) => found })
    const answer = await one.askModern('resources/read', { uri })
    remove()
    if (variables === null) {
      assert.ok(answer.error, `${uriTemplate} describes ${uri}`)
      continue
    }
    const { contents } = resultOf(answer) as { contents: { text: string }[] }
    assert.deepEqual(JSON.parse(contents[0]?.text ?? ''), variables, `${uriTemplate} of ${uri}`)
  }
  assert.deepEqual(errors, [])
})

test('the resources of a template are listed, in parts, and read by their variables', async (t) => {
  const { mcp, client, errors } = await testPage(t, { pageSize: 2 })
  let ids = ['1', '2', '3']
  const remove = mcp.resources('notes://note/{id}', {
    mimeType: 'text/plain',
    list: () => [...ids.map((id) => `notes://note/${id}`), { uri: 'notes://note/x', title: 'X' }],
    read: ({ id }) => (id === 'x' || ids.includes(id) ? `note ${id}` : undefined),
  })
  const one = client()
  const listed = async () => {
    const all: { uri: string; name: string; title?: string }[] = []
    let cursor: string | undefined
    do {
      const answer = await one.askModern('resources/list', cursor === undefined ? {} : { cursor })
      const part = resultOf<{ resources: typeof all; nextCursor?: string }>(answer)
      all.push(...part.resources)
      cursor = part.nextCursor
    } while (cursor !== undefined)
    return all.map(({ uri, name, title }) => [uri, name, title])
  }
  assert.deepEqual(await listed(), [
    ['notes://note/1', '1', undefined],
    ['notes://note/2', '2', undefined],
    ['notes://note/3', '3', undefined],
    ['notes://note/x', 'x', 'X'],
  ])
  const read = async (uri: string) => {
    const { result, error } = await one.askModern('resources/read', { uri })
    return result ? (result as { contents: { text: string }[] }).contents[0]?.text : error
  }
  assert.equal(await read('notes://note/2'), 'note 2')
  ids = ['2']
  mcp.changed()
  assert.deepEqual(
    (await listed()).map(([uri]) => uri),
    ['notes://note/2', 'notes://note/x'],
  )
  assert.notEqual(await read('notes://note/1'), 'note 1')
  remove()
  assert.deepEqual(await listed(), [])
  assert.deepEqual(errors, [])
})

test('a template is named after its URI, and goes with its signal', async (t) => {
  const { mcp, client } = await testPage(t)
  const over = new AbortController()
  const { signal } = over
  mcp.resources('notes://day/{date}', { signal, read: ({ date }) => date })
  mcp.resource('notes://shopping', { signal }, ['2 apples'])
  mcp.tool('add', { signal }, () => 'added')
  mcp.prompt('plan', { signal }, () => 'Plan.')
  mcp.event('saved', { signal })
  const one = client()
  const names = async () => {
    const lists = ['resources', 'resources/templates', 'tools', 'prompts'].map(async (list) => {
      const result = resultOf(await one.askModern(`${list}/list`)) as Record<string, unknown>
      const items = Object.values(result).find(Array.isArray) as { name: string }[]
      return items.map(({ name }) => name)
    })
    return (await Promise.all(lists)).flat()
  }
  assert.deepEqual(await names(), ['shopping', 'saved', 'day', 'add', 'plan'])
  over.abort()
  assert.deepEqual(await names(), [])
  mcp.tool('late', { signal }, () => 'late')
  assert.deepEqual(await names(), [])
})

test('the types of variables follow from the template', async (t) => {
  const { mcp } = await testPage(t)
  mcp.resources('x:{a}/{+b}{/d}{?c}', {
    read(variables) {
      const { a, b, c, d }: Record<'a' | 'b', string> & Record<'c' | 'd', string | undefined> =
        variables
      // @ts-expect-error: it is not in the template
      return [a, b, c, d, variables.e]
    },
    complete: { a: ['1'] },
  })
})
