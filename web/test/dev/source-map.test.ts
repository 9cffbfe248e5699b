// Places in the sources: stacks of each browser, maps of the compiler that builds the package, and paths of bundlers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Frame, framesOf, sourceMapper, sourcePath } from '../../src/dev/source-map.ts'

const base = 'http://localhost:5173/shop/'

const stacks: [name: string, stack: string, frames: Frame[]][] = [
  [
    'Chromium',
    'TypeError: a\n    at total (http://localhost:5173/src/total.ts?t=1:8:3)\n    at async http://localhost:5173/src/main.js:5:1\n    at Array.map (<anonymous>)\n    at new Shop (webpack-internal:///(app-pages-browser)/./app/shop.jsx:7:9)',
    [
      { name: 'total', file: 'http://localhost:5173/src/total.ts?t=1', line: 8, column: 3 },
      { name: '', file: 'http://localhost:5173/src/main.js', line: 5, column: 1 },
      {
        name: 'new Shop',
        file: 'webpack-internal:///(app-pages-browser)/./app/shop.jsx',
        line: 7,
        column: 9,
      },
    ],
  ],
  [
    'Firefox and Safari',
    'total@http://localhost:5173/src/total.ts:8:3\n@http://localhost:5173/src/main.js:5:1\n[native code]',
    [
      { name: 'total', file: 'http://localhost:5173/src/total.ts', line: 8, column: 3 },
      { name: '', file: 'http://localhost:5173/src/main.js', line: 5, column: 1 },
    ],
  ],
  ['none', 'no stack', []],
]

test('stacks of browsers', () => {
  for (const [name, stack, wanted] of stacks) assert.deepEqual(framesOf(stack), wanted, name)
})

test('a long hostile stack takes no time', () => {
  framesOf(`${'at ('.repeat(50_000)}\n${'@'.repeat(100_000)}`)
})

const root = '/home/ann/shop'

const paths: [url: string, path: string][] = [
  ['/home/ann/shop/src/total.ts', 'src/total.ts'],
  ['http://localhost:5173/shop/src/total.ts?t=1', 'src/total.ts'],
  ['http://localhost:5173/shop/@fs/home/ann/shop/x.ts', 'x.ts'],
  ['http://localhost:5173/src/total.ts?t=1', 'src/total.ts'],
  ['/src/a%20b.ts', 'src/a b.ts'],
  ['http://localhost:5173/@fs/home/ann/lib/x.ts', '/home/ann/lib/x.ts'],
  ['file:///home/ann/app/page.tsx', '/home/ann/app/page.tsx'],
  ['webpack-internal:///(app-pages-browser)/./app/page.jsx', 'app/page.jsx'],
  ['webpack://_N_E/./app/page.jsx?1a2b', 'app/page.jsx'],
  ['turbopack:///[project]/app/page.jsx', 'app/page.jsx'],
  ['https://cdn.example/lib.js', 'https://cdn.example/lib.js'],
]

test('paths of sources', () => {
  for (const [url, path] of paths) assert.equal(sourcePath(url, base, root), path, url)
})

// `a;` of line 1 and `b(c)` of line 3 of x.ts in two lines.
const map = { version: 3, names: [], sources: ['x.ts'], mappings: 'AAAA;CAEC,EAAE' }

test('scripts of the own origin alone are loaded, once', async () => {
  const loaded: string[] = []
  const inline = `b(c)\n//# sourceMappingURL=data:application/json;base64,${btoa(JSON.stringify(map))}`
  const texts: Record<string, string> = {
    'http://localhost:5173/src/x.ts': inline,
    'http://localhost:5173/out/y.js': 'code\n//# sourceMappingURL=y.js.map',
    'http://localhost:5173/out/y.js.map': JSON.stringify({
      version: 3,
      sections: [
        { offset: { line: 0, column: 0 }, map: { ...map, sources: ['../src/y.ts'] } },
        { offset: { line: 9, column: 0 }, map },
      ],
    }),
    'http://localhost:5173/broken.js': 'code\n//# sourceMappingURL=data:application/json,nonsense',
    'http://localhost:5173/far.js': 'code\n//# sourceMappingURL=https://cdn.example/far.map',
  }
  const mapper = sourceMapper(base, async (url) => {
    loaded.push(url)
    return texts[url] ?? ''
  })
  const frames = ['src/x.ts', 'src/x.ts', 'out/y.js', 'broken.js', 'far.js', 'none.js'].map(
    (file) => ({
      name: 'f',
      file: `http://localhost:5173/${file}`,
      line: 2,
      column: 2,
    }),
  )
  const located = await mapper.map([
    ...frames,
    { name: 'g', file: 'https://cdn.example/lib.js', line: 1, column: 1 },
  ])
  assert.deepEqual(
    located.map(({ file, line }) => `${sourcePath(file, base)}:${line}`),
    [
      'src/x.ts:3',
      'src/x.ts:3',
      'src/y.ts:3',
      'broken.js:2',
      'far.js:2',
      'none.js:2',
      'https://cdn.example/lib.js:1',
    ],
  )
  assert.deepEqual(loaded.sort(), [...Object.keys(texts), 'http://localhost:5173/none.js'].sort())
})
