/**
 * Languages and texts of all programs. English texts are in the code. Translations are data in web/texts; a text that one
 * lacks is shown in English.
 */

export const languages = ['en', 'zh-Hans', 'ja', 'de'] as const
export type Language = (typeof languages)[number]

/** A text that depends on the number `{count}`, by plural category. */
export interface Plural {
  readonly one?: string
  readonly other: string
}

/**
 * The first of the wanted languages that there are texts in; English if there is none.
 *
 * @param wanted - tags of BCP 47, most wanted first
 */
export function languageOf(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const lower = tag.toLowerCase()
    if (/^zh(-hans|-cn|-sg|$)/.test(lower)) return 'zh-Hans'
    const found = languages.find((one) => lower.split('-')[0] === one)
    if (found) return found
  }
  return 'en'
}

/** English texts, each replaced by that of a translation if it has it. Lists and plural forms are one text. */
export function translated<T>(english: T, translation: unknown): T {
  if (typeof english !== 'object' || Array.isArray(english) || 'other' in (english as object)) {
    return (translation as T | undefined) ?? english
  }
  const own = translation as Readonly<Record<string, unknown>> | undefined
  const all = Object.entries(english as object).map(([key, text]) => [
    key,
    translated(text, own?.[key]),
  ])
  return { ...own, ...Object.fromEntries(all) }
}

/** A text with its `{name}`s replaced. What is in the values is not replaced again. */
export const fill = (text: string, values: { readonly [name: string]: string }): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) =>
    Object.hasOwn(values, name) ? (values[name] as string) : all,
  )

/** {@link fill} for texts that depend on a number; numbers are written as the language of the tag does. */
export function say(
  text: string | Plural,
  values: { readonly [name: string]: string | number },
  tag: string,
): string {
  const form = typeof text !== 'string' && new Intl.PluralRules(tag).select(Number(values.count))
  const chosen = typeof text === 'string' ? text : (form === 'one' && text.one) || text.other
  const written = Object.entries(values).map(([name, value]) => [name, value.toLocaleString(tag)])
  return fill(chosen, Object.fromEntries(written))
}

/**
 * Makes a name or title of untrusted text: on one line, without characters that control a terminal or
 * reorder other text (control characters, ANSI sequences, bidirectional and zero-width marks), and cut to
 * `max` UTF-16 code units, with an ellipsis.
 */
export function plainLabel(text: string, max = 200): string {
  const plain = text
    .replace(/[\s\u0085]+/g, ' ')
    .replace(ansi, '')
    .replace(unprintable, '')
    .trim()
    .toWellFormed()
  return plain.length > max ? `${plain.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…` : plain
}

/** Control sequences of ECMA-48, and terminal commands up to their end. White space is normalized before. */
const ansi = /\p{Cc}\[[0-?]*[ -\/]*[@-~]|\p{Cc}\][^\p{Cc}]*(?:\p{Cc}\\?)?/gu

/**
 * Control and format characters (C0, C1, soft hyphen, bidirectional and zero-width marks, tags), and
 * letters without a shape.
 */
const unprintable = /\p{Cc}|\p{Cf}|[\u115f\u1160\u3164\uffa0]|[\u{e0000}-\u{e0fff}]/gu
