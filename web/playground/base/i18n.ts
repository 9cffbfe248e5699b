/**
 * Texts in the user's language. Each language is loaded on demand; a text that a language lacks is shown in English.
 * Names of the protocol are never translated.
 *
 * A text may contain `{name}`; numbers are formatted for the language. A text that depends on a number is an
 * object by plural category (`one`, `other` …), chosen by `{count}`.
 */

import { signal } from '@preact/signals'
import { first } from '../locale/en-first.ts'
import type { Language, Locale } from '../locale/languages.ts'
import type { Key, Messages, Plural } from '../locale/texts.ts'
import { part } from './part.ts'

export { type Locale, localeNames, locales, preferredLocale } from '../locale/languages.ts'
export type { Key } from '../locale/texts.ts'

/** One chunk per language. The bundler needs each path as a literal. */
const loaders: Readonly<Record<Language, () => Promise<object>>> = {
  en: async () => (await part(import('../locale/en.ts'))).texts,
  'zh-Hans': async () =>
    (await part(import('../../texts/playground.zh-Hans.json', { with: { type: 'json' } }))).default,
  ja: async () =>
    (await part(import('../../texts/playground.ja.json', { with: { type: 'json' } }))).default,
  de: async () =>
    (await part(import('../../texts/playground.de.json', { with: { type: 'json' } }))).default,
}

/** Only the English texts of the first view at first. Rooms that need more wait for {@link textsLoaded}. */
const current = signal<{
  locale: Locale
  messages: Partial<Messages>
  /** Shown where the language lacks a text: all English texts, once one was missing. */
  english: Partial<Messages>
}>({ locale: 'en', messages: first, english: first })

let loading: Promise<void> | undefined
let chosen: Locale = 'en'
let isComplete = false // the texts of a language are there, not those of the first view alone

/**
 * Settles when all texts of the language that was set last are loaded; English if they do not load. Loads them again
 * if that failed before.
 */
export const textsLoaded = (): Promise<void> => loading ?? setLocale(chosen)

/** The current language. A component that reads it is redrawn when it changes. */
export const locale = (): Locale => current.value.locale

/** The language that was set last; its texts may still be loading. */
export const wantedLocale = (): Locale => chosen

/** `en-XA` is a pseudo-locale: longer English in brackets, which shows hard-coded texts. */
export function setLocale(wanted: Locale): Promise<void> {
  chosen = wanted
  const load = async (language: Locale) => {
    const texts = await loaders[language === 'en-XA' ? 'en' : language]()
    const all = { ...first, ...texts } as Partial<Messages>
    const messages = language === 'en-XA' ? pseudo(all) : all
    if (wanted !== chosen) return // another language was chosen meanwhile
    current.value = { ...current.peek(), locale: language, messages }
    isComplete = true
    document.documentElement.lang = language
  }
  const next = load(wanted).catch(() => {
    if (loading === next) loading = undefined // the next part that needs texts tries again
    return isComplete ? undefined : load('en')
  })
  next.catch(() => {}) // reported by parts that need the texts
  loading = next
  return next
}

/** Returns a text. Unknown `params` are ignored. */
export function t(key: Key, params: Readonly<Record<string, string | number>> = {}): string {
  const { locale, messages, english } = current.value
  const tag = locale === 'en-XA' ? 'en' : locale
  let text = textOf(messages, key) ?? textOf(english, key)
  if (text === undefined) void loadEnglish()
  if (typeof text === 'object' && text !== null) {
    const forms = text as Plural
    text = forms[new Intl.PluralRules(tag).select(Number(params.count))] ?? forms.other
  }
  return String(text ?? '').replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name]
    if (value === undefined) return whole
    return typeof value === 'number' ? new Intl.NumberFormat(tag).format(value) : value
  })
}

/** The text of a key, or its plural forms; `undefined` if there is none. */
function textOf(messages: Partial<Messages>, key: Key): unknown {
  let found: unknown = messages
  for (const part of key.split('.')) found = (found as Readonly<Record<string, unknown>>)?.[part]
  return found
}

let englishLoading: Promise<void> | undefined

function loadEnglish(): Promise<void> {
  englishLoading ??= loaders.en().then(
    (texts) => {
      current.value = { ...current.peek(), english: { ...first, ...texts } as Partial<Messages> }
    },
    () => {
      englishLoading = undefined
    },
  )
  return englishLoading
}

/** The language tag for `Intl`. */
export const tag = (): string => (locale() === 'en-XA' ? 'en' : locale())

function pseudo<T>(texts: T): T {
  if (typeof texts === 'string') return `[${stretch(texts)}]` as T
  const entries = Object.entries(texts as object).map(([key, text]) => [key, pseudo(text)])
  return Object.fromEntries(entries) as T
}

/** Makes a text 40 % longer. Placeholders stay. */
function stretch(text: string): string {
  const longer = text.replace(/\{\w+\}|([aeiou])/gi, (whole, vowel?: string) =>
    vowel ? `${vowel}\u0304` : whole,
  )
  return `${longer} ${'~'.repeat(Math.ceil(text.length * 0.4))}`
}
