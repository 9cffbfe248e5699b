/** Formats JSON: short objects and arrays stay on one line. */

import { visible } from '../base/visible-text.ts'

/** Maximum length of such a line. */
const width = 76 // UTF-16 code units

/**
 * Indents by two. Scalars are formatted as by `JSON.stringify`, with escapes for what reverses text in the composer.
 *
 * @param indent - of the value's first line
 * @param before - used columns of that line
 */
export function pretty(value: unknown, indent = '', before = 0): string {
  const flat = visible(JSON.stringify(value) ?? 'null')
  if (typeof value !== 'object' || value === null || flat.length <= 2) return flat
  const inner = `${indent}  `
  const list = Array.isArray(value)
  const parts = list
    ? value.map((item) => pretty(item, inner, inner.length))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => {
          const key = `${pretty(name)}: `
          return key + pretty(item, inner, inner.length + key.length)
        })
  const one = parts.join(', ')
  const [open, close] = list ? '[]' : '{}'
  if (indent && before + one.length + 5 <= width && !one.includes('\n')) {
    return list ? `${open}${one}${close}` : `${open} ${one} ${close}`
  }
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`
}
