/** The import graph of all TypeScript of the product, types included: no cycles, and only the imports that the tables allow. */

import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const rooms = ['src', 'playground', 'demo', 'docs', 'extension']
// @types/node of Node 20 does not know it; tests run in Node 24.
const { globSync } = fs as unknown as {
  globSync(patterns: readonly string[], options: { cwd: string }): string[]
}

/** Relative imports of each module: statements, `import()` and `import type`, by path below web/. */
function imports(): Map<string, string[]> {
  const files = globSync(
    rooms.map((room) => `${room}/**/*.{ts,tsx}`),
    { cwd: root },
  )
  return new Map(
    files.map((file) => {
      const text = fs.readFileSync(join(root, file), 'utf8')
      const found = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+\.tsx?)'/g)]
      return [file, found.map(([, path = '']) => relative(root, join(root, dirname(file), path)))]
    }),
  )
}

/** Each cycle once, as the modules on it. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const visit = (file: string) => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file])
      return
    }
    state.set(file, 'open')
    path.push(file)
    for (const next of graph.get(file) ?? []) visit(next)
    path.pop()
    state.set(file, 'done')
  }
  for (const file of graph.keys()) visit(file)
  return found
}

test('a cycle is found, and none where there is none', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', []],
  ])
  assert.deepEqual(cycles(graph), [['a', 'b', 'c', 'a']])
  assert.deepEqual(cycles(new Map([...graph, ['c', ['d']]])), [])
})

test('modules import each other in no cycle', () => {
  const graph = imports()
  assert.ok(graph.size > 200, `${graph.size} modules`)
  assert.ok(graph.get('src/start.ts')?.includes('src/thread.ts'))
  assert.deepEqual(cycles(graph), [])
})

test('the package imports none of its users', () => {
  const wrong = [...imports()].flatMap(([file, all]) =>
    file.startsWith('src/') ? all.filter((path) => !path.startsWith('src/')) : [],
  )
  assert.deepEqual(wrong, [])
})

/**
 * Directories of the playground, lowest first: each may import those named with it, which stand above it in
 * this table, and nothing else of web/. A row that nothing uses fails, too. A directory without a row imports `base` and
 * its texts, and shell shows it.
 */
const playground: readonly { room: string; imports: readonly string[]; why: string }[] = [
  { room: 'locale', imports: [], why: 'texts, loaded by language' },
  {
    room: 'base',
    imports: ['locale'],
    why: 'texts, settings, shared view state: what every pane needs, so it knows no pane',
  },
  { room: 'messages', imports: ['base'], why: 'selects the response of a request that was sent' },
  {
    room: 'protocol',
    imports: ['base', 'messages'],
    why: 'checks messages and explains them by keys of texts',
  },
  {
    room: 'connections',
    imports: ['base', 'messages', 'protocol'],
    why: 'clients send and record messages; pairing with a gateway is part of the package',
  },
  {
    room: 'compose',
    imports: ['base', 'messages', 'protocol', 'connections'],
    why: 'sends through a client, and completes what its server lists',
  },
  {
    room: 'timeline',
    imports: ['base', 'locale', 'messages', 'protocol', 'connections'],
    why: 'shows the messages of all clients, and their subscriptions; the English texts of events are the patterns of their translations',
  },
  {
    room: 'demo',
    imports: ['base', 'messages', 'protocol', 'connections', 'web/demo'],
    why: 'records changes of its data, and reads the first resource through a client',
  },
  {
    room: 'share',
    imports: ['base', 'messages', 'protocol', 'connections', 'compose', 'timeline'],
    why: 'links hold tabs of the composer, files the rows that the timeline shows',
  },
  {
    room: 'apps',
    imports: ['base', 'messages', 'protocol', 'connections'],
    why: 'shows apps of a server in sandboxed frames, as clients of their own',
  },
  {
    room: 'inspect',
    imports: ['apps', 'base', 'messages', 'protocol', 'connections', 'timeline', 'share'],
    why: 'formats a row as the timeline does, and copies it',
  },
  {
    room: 'lessons',
    imports: [
      'base',
      'messages',
      'protocol',
      'connections',
      'compose',
      'timeline',
      'demo',
      'share',
    ],
    why: 'fills the composer, shows the sequence diagram, plays on the demo, and records without secrets',
  },
  {
    room: 'conformance',
    imports: ['base', 'messages', 'protocol', 'connections'],
    why: 'checks a server through connections of its own, whose messages the timeline shows',
  },
  {
    room: 'explore',
    imports: ['base', 'protocol', 'connections', 'timeline', 'demo', 'lessons'],
    why: 'shows the stage with its assistant, subscriptions and the demo as views',
  },
  {
    room: 'your-page',
    imports: ['base', 'connections', 'timeline'],
    why: 'watches at the gateway what a page does, and reads what changed again',
  },
  {
    room: 'audit',
    imports: ['base', 'connections'],
    why: 'shows what the gateway sends of its audit log',
  },
  {
    room: 'shell',
    imports: [
      'base',
      'protocol',
      'connections',
      'compose',
      'timeline',
      'demo',
      'explore',
      'share',
      'inspect',
      'lessons',
      'conformance',
      'apps',
      'your-page',
      'audit',
    ],
    why: 'puts all panes into one page',
  },
  {
    room: '',
    imports: ['base', 'lessons', 'shell'],
    why: 'main.tsx: the page, and the speaker window',
  },
]

/** The room of a module as the table names it; `''`: directly in web/playground. The texts of all rooms belong to locale. */
function roomOf(file: string): string {
  const [top = '', room = '', ...rest] = file.split('/')
  if (top !== 'playground') return top === 'demo' ? 'web/demo' : top
  if (file.endsWith('.texts.ts')) return 'locale'
  return rest.length === 0 ? '' : room
}

/** Imports between rooms that the table does not allow, and rows that nothing uses. */
function violations(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const allowed = new Map(playground.map(({ room, imports }) => [room, new Set(imports)]))
  const unused = new Set(
    playground.flatMap(({ room, imports }) => imports.map((to) => `${room}>${to}`)),
  )
  const wrong: string[] = []
  for (const [file, paths] of graph) {
    if (!file.startsWith('playground/')) continue
    const from = roomOf(file)
    for (const path of paths) {
      const to = roomOf(path)
      if (to === from) continue
      unused.delete(`${from}>${to}`)
      const isAllowed = allowed.get(from)?.has(to) ?? (to === 'base' || to === 'locale') // of a room without a row
      if (!isAllowed && !(from === 'shell' && !allowed.has(to)))
        wrong.push(`${file} imports ${path}`)
    }
  }
  return [...wrong, ...[...unused].map((one) => `no import needs ${one}`)]
}

test('directories of the playground import only what the table allows', () => {
  assert.deepEqual(violations(imports()), [])
})

test('the table allows no cycle between directories', () => {
  const rank = new Map(playground.map(({ room }, i) => [room, i]))
  for (const { room, imports } of playground) {
    for (const to of imports) {
      assert.ok(
        (rank.get(to) ?? -1) < (rank.get(room) ?? 0),
        `${room} imports ${to}, which is not below it`,
      )
    }
  }
})

test('an import that the table does not allow is found, and a row that nothing uses', () => {
  const graph = new Map([...imports(), ['playground/base/wrong.ts', ['playground/shell/bar.tsx']]])
  assert.deepEqual(violations(graph), ['playground/base/wrong.ts imports playground/shell/bar.tsx'])
  const without = [...imports()].filter(([file]) => !file.startsWith('playground/base/'))
  assert.deepEqual(violations(new Map(without)), ['no import needs base>locale'])
})
