/** What holds of all keys and values, of any kind; and that reading leaves everything as it was. */

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.kit

const page = serveKit('idb/page.ts')
const seed = Number(process.env.PAGEMCP_SEED ?? Date.now() % 2 ** 31)

inBrowsers(
  'two keys share a URI exactly when IndexedDB takes them for one',
  async ({ open, name }) => {
    console.log(`PAGEMCP_SEED=${seed} (${name})`)
    const tab = await open(page.url())
    const got = await tab.evaluate(async (seed) => {
      const { random } = await import('/test/idb/random.ts' as never as './random.ts')
      const { keySegment, keyFromSegment } = await import(
        '/src/sources/idb-keys.ts' as never as '../../src/sources/idb-keys.ts'
      )
      const next = random(seed)
      const bytes = (n = next(4)) => Uint8Array.from({ length: n }, () => next(3))
      const units = [0x61, 0x31, 0x2e, 0x2f, 0x25, 0x7e, 0xd83d, 0xde00, 0xd800, 0xfffd, 0x3042]
      const text = () =>
        String.fromCharCode(...Array.from({ length: next(4) }, () => units[next(11)] ?? 0))
      const kinds: { [kind: string]: () => IDBValidKey } = {
        zero: () => [0, -0][next(2)] as number,
        'small number': () => next(4),
        'negative number': () => -next(4),
        fraction: () => next(8) / 4,
        'huge number': () => [1e21, 1e300, 2 ** 53, 2 ** 53 + 2][next(4)] as number,
        'tiny number': () => [5e-324, 1e-7, Number.EPSILON][next(3)] as number,
        infinity: () => [Infinity, -Infinity][next(2)] as number,
        'empty string': () => '',
        'string of digits': () => String(next(4)),
        string: text,
        'string like a tag': () => `${'nsudba'[next(6)]}.${next(3)}`,
        'lone surrogate': () => String.fromCharCode(0xd800 + next(3), ...(next(2) ? [0x61] : [])),
        'pair of surrogates': () => ['😀', '😁', '\ude00\ud83d'][next(3)] as string,
        'long string': () => 'x'.repeat(1000 + next(2)),
        'date near 1970': () => new Date(next(4)),
        'date before 1970': () => new Date(-next(4)),
        'date far away': () => new Date([8.64e15, -8.64e15, 253402300800000][next(3)] as number),
        'empty bytes': () => new ArrayBuffer(0),
        buffer: () => bytes().buffer,
        'typed array': () => bytes(),
        'view of a part': () => new DataView(bytes(4).buffer, 1, 2),
        'array of 16 bit numbers': () => Uint16Array.from({ length: next(2) }, () => next(3)),
        'empty array': () => [],
        'array of numbers and strings': () => [next(2), String(next(2)), text()],
        'nested array': () => [[next(2)], [[], [new Date(next(2)), bytes()]]],
      }
      const keys = Object.values(kinds).flatMap((make) => Array.from({ length: 12 }, make))
      const wrong: string[] = []
      let same = 0
      const segments = keys.map(keySegment)
      for (const [i, a] of keys.entries()) {
        const back = keyFromSegment(segments[i] ?? '')
        if (back === undefined || indexedDB.cmp(back, a) !== 0) wrong.push(`back ${segments[i]}`)
        for (const [j, b] of keys.entries()) {
          const equal = indexedDB.cmp(a, b) === 0
          if (equal && i !== j) same++
          if (equal !== (segments[i] === segments[j])) wrong.push(`${segments[i]} ${segments[j]}`)
        }
      }
      // And the store itself: as many resources as it has keys, each read under its URI.
      const db = await kit.open('app', { keys: {} })
      await kit.write(db, 'keys', (store) => {
        for (const [i, key] of keys.entries()) store.put(segments[i], key)
      })
      const source = kit.idb({ databases: { app: ['keys'] } })
      const { resources } = await source.list(undefined, { pageSize: 1000, signal: kit.never })
      for (const { uri } of resources.slice(2)) {
        const [contents] = await source.read(uri, { signal: kit.never })
        if (`idb:///app/keys/${JSON.parse(contents?.text ?? '')}` !== uri) wrong.push(uri)
      }
      const distinct = new Set(segments).size
      return {
        wrong,
        kinds: Object.keys(kinds).length,
        distinct,
        listed: resources.length - 2,
        same: same > 0,
      }
    }, seed)
    assert.equal(got.kinds, 25)
    assert.deepEqual([got.wrong, got.same, got.listed], [[], true, got.distinct])
  },
)
