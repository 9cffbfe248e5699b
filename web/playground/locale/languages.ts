/**
 * The languages of the playground: those of src/translation.ts, which is not imported. The chunk that it would share with
 * the package would be one more request of the first load.
 */

import type { Language } from '../../src/translation.ts'

export type { Language }

export const locales: readonly Language[] = ['en', 'zh-Hans', 'ja', 'de']
/** With the pseudo-locale of the playground. */
export type Locale = Language | 'en-XA'

/** The name of each language in that language. */
export const localeNames: Readonly<Record<Language, string>> = {
  en: 'English',
  'zh-Hans': '简体中文',
  ja: '日本語',
  de: 'Deutsch',
}

/** The best supported language for the languages that a browser requests. */
export function preferredLocale(wanted: readonly string[]): Locale {
  for (const tag of wanted) {
    if (tag === 'en-XA') return tag
    const language = tag.toLowerCase()
    if (/^zh(-hans|-cn|-sg|$)/.test(language)) return 'zh-Hans'
    const found = locales.find((one) => language.split('-')[0] === one)
    if (found) return found
  }
  return 'en'
}
