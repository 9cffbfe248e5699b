/** Explains how a learner's message differs from the expected one. */

import type { Key } from '../base/i18n.ts'
import type { Difference } from './pattern.ts'

export interface Hint {
  key: Key
  params: Record<string, string>
}

/** The text of the difference. Values are shortened JSON. */
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

/** Maximum length of a shown value. */
const maxLength = 80 // UTF-16 code units

function written(value: unknown): string {
  const text = value === undefined ? '' : JSON.stringify(value)
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}
