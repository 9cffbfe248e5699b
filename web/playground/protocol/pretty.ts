/** JSON as people like to read it: what is short stays on its line. */

/** The longest object or array that is not broken into lines. */
const width = 60 // UTF-16 code units

/** Indents by two. `null`, texts and numbers are as `JSON.stringify` writes them. */
export function pretty(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value) ?? 'null'
  if (typeof value !== 'object' || value === null || flat.length <= 2) return flat
  const inner = `${indent}  `
  const list = Array.isArray(value)
  const parts = list
    ? value.map((item) => pretty(item, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => `${JSON.stringify(name)}: ${pretty(item, inner)}`)
  const one = parts.join(', ')
  const [open, close] = list ? '[]' : '{}'
  if (indent && one.length <= width && !one.includes('\n')) {
    return list ? `${open}${one}${close}` : `${open} ${one} ${close}`
  }
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`
}
