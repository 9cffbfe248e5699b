/** Translates events, which are recorded in English. Loaded after the first view. */

import { type Key, t, tag } from '../base/i18n.ts'
import { en } from './events.texts.ts'

const patterns = Object.entries(en).map(
  ([key, text]) =>
    [
      `events.${key}` as Key,
      new RegExp(`^${text.replace(/\{(\w+)\}/g, '(?<$1>.*?)')}$`, 's'),
    ] as const,
)

/** An event in the user's language; as it was recorded in English, and where no translation is known. */
export function eventText(raw: string): string {
  if (tag() === 'en') return raw
  for (const [key, pattern] of patterns) {
    const found = pattern.exec(raw)
    if (found) return t(key, found.groups) || raw
  }
  return raw
}
