/** Access and audit: entries of the gateway, once each and bounded; what filters select; sums; files. */

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { csv, jsonLines } from '../../../playground/audit/files.ts'
import { everything, type Selection, select, uses } from '../../../playground/audit/model.ts'
import {
  type AuditEntry,
  addAuditEntries,
  auditEntries,
  maxEntries,
} from '../../../playground/connections/audit-log.ts'

const entry = (at: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  time: new Date(Date.UTC(2026, 10, 26, 10) + at).toISOString(),
  who: 'claude-code',
  door: '/mcp',
  verb: 'resources/read',
  uri: `notes+x:${at}`,
  app: 'notes',
  right: 'read',
  outcome: 'ok',
  bytes: 10,
  ms: 1.5,
  ...more,
})

const denied = { outcome: '-32603', reason: 'declined' } as const
const call = { verb: 'tools/call', uri: 'notes__add', right: 'act' } as const
const all = [
  entry(1, { client: 'Claude Code' }),
  entry(2, { ...call }),
  entry(3, { ...call, ...denied }),
  entry(4, { who: 'token', uri: 'mail+Inbox:1', app: 'mail', outcome: '-32602' }),
  entry(5, { who: 'stdio', verb: 'resources/list', uri: undefined, app: undefined }),
  entry(6, { verb: 'completion/complete', door: '/ws' }),
]

beforeEach(() => {
  auditEntries.value = []
})

test('an entry that the gateway sends twice is there once, and only the newest are kept', () => {
  addAuditEntries(all)
  const first = auditEntries.peek()
  addAuditEntries(all) // after the socket was lost
  assert.equal(auditEntries.peek(), first)
  for (let at = 100; at < 100 + 3 * maxEntries; at += 1) addAuditEntries([entry(at)])
  assert.equal(auditEntries.peek().length, maxEntries)
  assert.equal(auditEntries.peek().at(-1)?.uri, `notes+x:${99 + 3 * maxEntries}`)
  addAuditEntries(auditEntries.peek())
  assert.equal(auditEntries.peek().length, maxEntries)
})

test('filters select by assistant, page, right, decision and any text, the newest first', () => {
  const table: [Partial<Selection>, number[]][] = [
    [{}, [6, 5, 4, 3, 2, 1]],
    [{ assistant: 'unnamed' }, [5, 4]],
    [{ assistant: 'claude-code', app: 'notes' }, [6, 3, 2, 1]],
    [{ app: '-' }, [5]],
    [{ app: 'mail' }, [4]],
    [{ right: 'act' }, [3, 2]],
    [{ decision: 'denied' }, [3]],
    [{ decision: 'allowed', right: 'act' }, [2]],
    [{ text: ' inbox ' }, [4]],
    [{ text: 'claude code' }, [1]],
    [{ text: 'declined' }, [3]],
    [{ text: '-32602' }, [4]],
    [{ text: '/ws' }, [6]],
    [{ text: 'undefined' }, []],
    [{ text: 'inbox', assistant: 'claude-code' }, []],
  ]
  for (const [by, want] of table) {
    const got = select(all, { ...everything, ...by }).map((one) => all.indexOf(one) + 1)
    assert.deepEqual(got, want, JSON.stringify(by))
  }
})

test('sums by assistant and page: contents that were read, tools that ran, and what was denied', () => {
  assert.deepEqual(
    uses(all).map(({ assistant, app, reads, calls, denied, bytes, denial }) => [
      `${assistant} ${app}`,
      ...[reads, calls, denied, bytes],
      denial?.reason,
    ]),
    [
      ['claude-code notes', 1, 1, 1, 40, 'declined'],
      ['unnamed -', 0, 0, 0, 10, undefined],
      ['unnamed mail', 0, 0, 0, 10, undefined],
    ],
  )
  assert.equal(uses(all)[0]?.last, all[5]?.time)
})

test('lines of JSON are those of the log', () => {
  const lines = jsonLines(all).split('\n')
  assert.equal(lines.pop(), '')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    JSON.parse(JSON.stringify(all)),
  )
})

test('comma-separated values are quoted, and begin no formula', () => {
  const table: [string, string][] = [
    ['notes+x:1', 'notes+x:1'],
    ['a,"b"\r\nc', 'a,"b"\r\nc'],
    ['=HYPERLINK("https://evil.example")', `'=HYPERLINK("https://evil.example")`],
    ['+1+cmd|x', "'+1+cmd|x"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\n=1', "'\n=1"],
    ['-32602', '-32602'],
    ['', ''],
  ]
  const text = csv(table.map(([uri], at) => entry(at, { uri, client: uri })))
  assert.match(text, /^time,who,client,door,verb,uri,app,right,outcome,reason,bytes,ms\r\n/)
  for (const [, safe] of table) {
    const quoted = /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
    assert.ok(text.includes(`,claude-code,${quoted},`), quoted)
  }
  assert.ok(text.endsWith('\r\n'))
})
