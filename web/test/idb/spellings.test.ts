import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  keyFromSegment,
  keyText,
  nameFromSegment,
  nameSegment,
} from '../../src/sources/idb-open.ts'
import { entryOf } from '../../src/sources/storage.ts'
import { decoding, equivalent, oddText } from '../harness/spellings.ts'
import { random } from './random.ts'

/** Each names the thing in a URI of a built-in source, by the value that its completion offers. */
const sources: { template: string; value(key: string): string; found(uri: string): unknown }[] = [
  {
    template: 'idb:///db/store/{key}',
    value: (key) => keyText(key),
    found: (uri) => keyFromSegment(/^idb:\/\/\/db\/store\/([^\/?#]*)$/.exec(uri)?.[1] ?? ''),
  },
  {
    template: 'idb:///db/store/{key}',
    value: (key) => keyText([key]),
    found: (uri) =>
      keyFromSegment(/^idb:\/\/\/db\/store\/([^\/?#]*)$/.exec(uri)?.[1] ?? '')?.[0 as never],
  },
  {
    template: 'idb:///db/store/range{?key}',
    value: (key) => keyText(key),
    found: (uri) =>
      keyFromSegment(/^idb:\/\/\/db\/store\/range\?key=([^#&]*)$/.exec(uri)?.[1] ?? ''),
  },
  {
    template: 'idb:///{key}/store',
    value: (key) => decodeURIComponent(nameSegment(key)),
    found: (uri) => nameFromSegment(/^idb:\/\/\/([^\/?#]*)\/store$/.exec(uri)?.[1] ?? ''),
  },
  {
    template: 'storage:///local/{key}',
    value: (key) => decodeURIComponent(nameSegment(key)),
    found: (uri) => entryOf(uri)?.key,
  },
]

test('a key has one meaning in all spellings of clients, or none', () => {
  const next = random(2026)
  for (let i = 0; i < 20_000; i++) {
    const key = oddText(next)
    const { template, value, found } = sources[i % sources.length] as (typeof sources)[number]
    const variables = { key: value(key) }
    for (const [how, spell] of Object.entries(equivalent)) {
      assert.equal(found(spell(template, variables)), key, `${how} of ${template}`)
    }
    for (const [how, spell] of Object.entries(decoding)) {
      const uri = spell(template, variables)
      const other = found(uri)
      assert.ok(
        other === undefined || other === key,
        `${how} of ${template}: ${uri} is ${String(other)}, not ${key}`,
      )
    }
  }
})

test('forms without escapes are still read', () => {
  const next = random(2028)
  for (let i = 0; i < 10_000; i++) {
    const key = oddText(next).replaceAll('~', '-')
    assert.equal(keyFromSegment(encodeURIComponent(`s.${key}`)), key)
    assert.equal(entryOf(`storage:///local/${encodeURIComponent(key)}`)?.key, key)
  }
})
