/**
 * Archives of texts: a comment, then files that each begin with a line `-- name --`.
 *
 * @see https://pkg.go.dev/golang.org/x/tools/txtar
 */

export interface Archive {
  /** Text before the first file. */
  comment: string
  /** Contents by name, each ending with a line feed unless it is empty. */
  files: Map<string, string>
}

const marker = /^-- (\S.*) --$/

/** Parses an archive; every text is valid. Files with the same name are joined. */
export function readArchive(text: string): Archive {
  const archive: Archive = { comment: '', files: new Map() }
  let name: string | undefined
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  if (lines.at(-1) === '') lines.pop() // the end of the last line, not another line
  for (const line of lines) {
    const begun = marker.exec(line)?.[1]?.trim()
    if (begun !== undefined) {
      name = begun
      if (!archive.files.has(name)) archive.files.set(name, '')
    } else if (name === undefined) archive.comment += `${line}\n`
    else archive.files.set(name, `${archive.files.get(name)}${line}\n`)
  }
  return archive
}
