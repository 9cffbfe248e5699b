/** Reads comma-separated values (RFC 4180). */

/** More is not shown: Raw has all. */
const maxRows = 500
const maxColumns = 50

/** The rows of a text, at most 500, of at most 50 columns each. Separators are commas, or tabs. */
export function csvRows(text: string, tabs = false): { rows: string[][]; cut: boolean } {
  const rows: string[][] = []
  let row: string[] = []
  let cut = false
  // A value and what ends it. A quote within an unquoted value is part of it.
  const value = tabs
    ? /(?:"((?:[^"]|"")*)"|([^\r\n\t]*))(\t|\r?\n|\r|$)/y
    : /(?:"((?:[^"]|"")*)"|([^\r\n,]*))(,|\r?\n|\r|$)/y
  for (let more = text !== ''; more; ) {
    const [, quoted, plain = '', end = ''] = value.exec(text) ?? []
    if (row.length < maxColumns) row.push(quoted?.replaceAll('""', '"') ?? plain)
    else cut = true
    const within = end === ',' || end === '\t'
    more = within || (end !== '' && value.lastIndex < text.length)
    if (within) continue
    rows.push(row)
    row = []
    if (rows.length === maxRows && more) return { rows, cut: true }
  }
  return { rows, cut }
}
