/** The audit log: entries of the gateway, once each and bounded; rows of the log; sums. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AuditEntry,
  addAuditEntries,
  auditDialer,
  auditEntries,
  auditLine,
  maxEntries,
  uses,
} from '../../../playground/connections/audit-log.ts'
import type { TransportEvents } from '../../../playground/connections/transport.ts'

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

test('an entry that the gateway sends twice is there once, and only the newest are kept', () => {
  auditEntries.value = []
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

test('entries are rows of a read-only connection, each once, with their own time', async () => {
  auditEntries.value = []
  addAuditEntries(all.slice(0, 2))
  const rows: [string, number | undefined][] = []
  const events = { note: (line: string, time?: number) => rows.push([line, time]) }
  const transport = await auditDialer(async () => {}).dial(events as unknown as TransportEvents)
  addAuditEntries(all)
  transport.close()
  addAuditEntries([entry(7)])
  assert.deepEqual(
    rows,
    all.map((one) => [auditLine(one), Date.parse(one.time)]),
  )
  assert.match(
    rows[0]?.[0] ?? '',
    /^claude-code \(Claude Code\) at \/mcp: resources\/read notes\+x:1 of notes, allowed: read, ok/,
  )
  assert.match(rows[2]?.[0] ?? '', /denied: declined, -32603/)
  assert.match(rows[3]?.[0] ?? '', /^unnamed at/)
})

test('sums by assistant and page: contents that were read, tools that ran, and what was denied', () => {
  assert.deepEqual(
    uses([...all, entry(1)]).map(({ assistant, app, contents, calls, denied, bytes, denial }) => [
      `${assistant} ${app}`,
      [...contents].map(([uri, { reads, bytes }]) => `${reads} ${uri} ${bytes}`).join(),
      ...[calls, denied, bytes],
      denial?.reason,
    ]),
    [
      ['claude-code notes', '2 notes+x:1 20', 1, 1, 50, 'declined'],
      ['unnamed ', '', 0, 0, 10, undefined],
      ['unnamed mail', '', 0, 0, 10, undefined],
    ],
  )
  assert.equal(uses(all)[0]?.last, all[5]?.time)
})
