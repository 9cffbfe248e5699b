/** Comma-separated values (RFC 4180). */

export type Cell = string | number | undefined

/** Rows of values, the first of which is usually the header. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(field).join(',')}\r\n`).join('')

/**
 * A value, quoted where it must be. Spreadsheets take text for a formula that begins with one of these characters, and
 * others choose the names in it: an apostrophe in front makes it text (OWASP, CSV Injection).
 */
function field(value: Cell): string {
  let text = String(value ?? '')
  if (/^[=+\-@\t\r\n]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text)) text = `'${text}`
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
