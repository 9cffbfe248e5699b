/** Says how a message differs from what was asked for, for people who learn. */

import type { Key } from '../base/i18n.ts'
import type { Difference } from './pattern.ts'

export interface Hint {
  key: Key
  params: Record<string, string>
}

/** What to change. Values are JSON text, shortened. */
export function hintOf({ path, want, got }: Difference): Hint {
  const params = { path, want: written(want), got: written(got) }
  if (path === '') {
    const brokenWanted = typeof want === 'string' && typeof got !== 'string'
    return { key: brokenWanted ? 'lessons.hintBreakIt' : 'lessons.hintNoJson', params }
  }
  if (path === 'id') {
    return { key: want === undefined ? 'lessons.hintNoId' : 'lessons.hintId', params }
  }
  if (path === 'method') return { key: 'lessons.hintMethod', params }
  if (got === undefined) return { key: 'lessons.hintMissing', params }
  return { key: 'lessons.hintValue', params }
}

/** How much of a value is shown. */
const maxLength = 80 // UTF-16 code units

function written(value: unknown): string {
  const text = value === undefined ? '' : JSON.stringify(value)
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}
