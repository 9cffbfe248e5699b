/** Entries as files: lines of JSON as in the log of the gateway, and comma-separated values. */

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

/** RFC 4180, with a header. */
export const csv = (entries: readonly AuditEntry[]): string =>
  [columns, ...entries.map((entry) => columns.map((name) => entry[name]))]
    .map((row) => `${row.map(field).join(',')}\r\n`)
    .join('')

/**
 * A value, quoted where it must be. Spreadsheets take text for a formula that begins with one of these characters, and an
 * assistant chooses its name and URIs: an apostrophe in front makes it text (OWASP, CSV Injection).
 */
function field(value: string | number | undefined): string {
  let text = String(value ?? '')
  if (/^[=+\-@\t\r\n]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text)) text = `'${text}`
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
