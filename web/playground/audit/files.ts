/** Entries as files: lines of JSON as in the log of the gateway, and comma-separated values. */

import { csvOf } from '../base/csv.ts'
import type { AuditEntry } from '../connections/audit-log.ts'

/** The lines of the gateway's log. */
export const jsonLines = (entries: readonly AuditEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

/** The members of an entry, in the order of the gateway's log. */
const columns = [
  'time',
  'who',
  'client',
  'door',
  'verb',
  'uri',
  'app',
  'right',
  'outcome',
  'reason',
  'bytes',
  'ms',
] as const

/** Comma-separated values, with a header. */
export const csv = (entries: readonly AuditEntry[]): string =>
  csvOf([columns, ...entries.map((entry) => columns.map((name) => entry[name]))])
