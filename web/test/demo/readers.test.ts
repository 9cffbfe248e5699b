/** What the start page says of assistants, from entries of the audit log. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Entry, maxEntries, merged, readersOf } from '../../demo/readers.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 6, 1, 9, minute)).toISOString()

const entry = (minute: number, more: Partial<Entry> = {}): Entry => ({
  time: at(minute),
  who: 'claude-code',
  door: '/mcp',
  verb: 'resources/read',
  uri: 'notes+a:1',
  app: 'notes',
  right: 'read',
  outcome: 'ok',
  ...more,
})

test('who read what: contents by page, tools, denials, and what came last; the last used first', () => {
  const [codex, claude, ...more] = readersOf(
    [
      entry(1, { client: 'Claude Code' }),
      entry(2, { uri: 'notes+a:2' }),
      entry(3, { uri: 'tasks+b:1', app: 'tasks' }),
      entry(4),
      entry(5, { verb: 'resources/list', uri: '', app: undefined }),
      entry(6, { verb: 'tools/call', right: 'act', uri: 'notes__add' }),
      entry(7, { outcome: '-32602' }),
      entry(8, { outcome: '-32603', reason: 'declined' }),
      entry(9, { who: 'codex', client: 'codex' }),
    ],
    0,
  )
  assert.deepEqual(more, [])
  assert.deepEqual(
    { ...claude, reads: [...(claude?.reads ?? [])] },
    {
      who: 'claude-code',
      isNamed: true,
      claims: 'Claude Code',
      reads: [
        ['notes', 3],
        ['tasks', 1],
      ],
      calls: 1,
      denied: 1,
      latest: ['notes__add', 'notes+a:1', 'tasks+b:1'],
      last: at(8),
    },
  )
  assert.deepEqual([codex?.who, codex?.claims, codex?.reads.get('notes')], ['codex', '', 1])
})

test('a token without a name is an assistant without a name, and what it calls itself a claim', () => {
  const [one] = readersOf([entry(1, { who: 'token', client: 'Claude Code' })], 0)
  assert.deepEqual([one?.isNamed, one?.claims], [false, 'Claude Code'])
})

test('yesterday, and the own requests of the playground, are left out', () => {
  assert.deepEqual(readersOf([entry(1)], Date.parse(at(2))), [])
  assert.deepEqual(readersOf([entry(1, { who: 'playground', door: '/watch' })], 0), [])
})

test('an entry that comes twice counts once, and old ones are forgotten', () => {
  const twice = merged([entry(1), entry(2)], [entry(2), entry(3)])
  assert.equal(twice.length, 3)
  const many = Array.from({ length: maxEntries + 5 }, (_, i) => entry(i, { uri: `a:${i}` }))
  const kept = merged([], many)
  assert.equal(kept.length, maxEntries)
  assert.equal(kept.at(-1)?.uri, `a:${maxEntries + 4}`)
})
