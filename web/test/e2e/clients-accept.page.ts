/**
 * Lists of tools and prompts that the gateway makes of the demos: real clients and APIs of models take them, by the rules of
 * testdata/clients-accept, as `TestClientsAcceptEachList` checks those of other pages.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { inBrowsers } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'
import { useGateway } from './gateway.ts'
import { joined } from './notes.ts'

type Json = { [name: string]: unknown }
interface Rule {
  rule: string
  of: string
  matches?: string
  has?: string[]
  lacks?: string[]
  formats?: string[]
}

const file = `${import.meta.dirname}/../../../testdata/clients-accept/rules.json`
const rules = JSON.parse(readFileSync(file, 'utf8')) as Rule[]
const of = (what: string) => rules.filter((rule) => rule.of === what)
const gateway = useGateway()

function checkText(what: string, text: string) {
  for (const { rule, matches = '' } of of(what)) assert.match(text, new RegExp(matches), rule)
}

function checkObject(what: string, schema: Json) {
  for (const { rule, has = [], lacks = [], formats } of of(what)) {
    for (const name of has) assert.ok(name in schema, `${JSON.stringify(schema)}: ${rule}`)
    for (const name of lacks) assert.ok(!(name in schema), `${JSON.stringify(schema)}: ${rule}`)
    const { format } = schema
    if (formats && format !== undefined) assert.ok(formats.includes(String(format)), rule)
  }
}

function checkSchema(value: unknown) {
  if (Array.isArray(value)) for (const one of value) checkSchema(one)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const schema = value as Json
  checkObject('schema', schema)
  if (schema.type === 'object') checkObject('object', schema)
  for (const [keyword, inner] of Object.entries(schema)) {
    if (['const', 'enum', 'default', 'examples'].includes(keyword)) continue
    if (['properties', 'patternProperties', '$defs', 'dependentSchemas'].includes(keyword)) {
      for (const [key, one] of Object.entries(inner as Json)) {
        if (keyword === 'properties') checkText('key', key)
        checkSchema(one)
      }
    } else checkSchema(inner)
  }
}

inBrowsers('clients accept what the gateway lists of each demo', async ({ open }) => {
  for (const [demo, url] of Object.entries(gateway().pages)) {
    const page = await open(url)
    const name = await joined(page)
    for (const at of ['', name]) {
      for (const kind of ['tools', 'prompts'] as const) {
        const answer = JSON.parse(await post(gateway(), `${kind}/list`, {}, at))
        const all = answer.result[kind] as { name: string; inputSchema?: Json }[]
        assert.equal(new Set(all.map((one) => one.name)).size, all.length, `names of ${demo}`)
        for (const one of all) {
          checkText('name', one.name)
          if (one.inputSchema === undefined) continue
          checkObject('arguments', one.inputSchema)
          checkSchema(one.inputSchema)
        }
      }
    }
    await page.close()
  }
})
