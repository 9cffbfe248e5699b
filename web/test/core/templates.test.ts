// What of a URI is which variable of a template: testdata/uritemplate-matches.json, the same table that Go is held to.
// R-138, R-139.

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

test('a long URI is matched in little time, whatever the template', async (t) => {
  const { mcp, client } = await testPage(t)
  const one = client()
  const many = Array.from('abcdefghijklmnopqrstuvwxyz')
  for (const uriTemplate of [
    `x:${many.map((name) => `{${name}}`).join('-')}-!`,
    `x:${many.map((name) => `{/${name}}`).join('')}!`,
    `x:{?${many.map((name) => `${name}*`).join()}}!`,
    'x:{+a}a{+b}a{+c}a{+d}a{+e}!',
    'x:{a*}',
  ]) {
    mcp.resources(uriTemplate, { name: 't', read: () => '' })
  }
  for (const text of ['-', 'a', '/a', 'a,', '&a=1']) {
    for (const size of [8 << 10, 64 << 10]) {
      const uri = `x:?a=1${text.repeat(size)}`.slice(0, size)
      const start = performance.now()
      await one.askModern('resources/read', { uri })
      assert.ok(performance.now() - start < 2000, `${size} bytes of ${text}`)
    }
  }
})
