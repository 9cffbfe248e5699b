/** The popup in the language of the browser. */

import { type Plural, say as sayIn } from '../src/translation.ts'
import { type Texts, textsIn, uiLanguage } from './popup.texts.ts'

export const language = uiLanguage()

export const text = textsIn(language)

/** A text with its `{name}`s replaced. */
export const say = (
  text: string | Plural,
  values: { readonly [name: string]: string | number },
): string => sayIn(text, values, language)

export const list = (names: readonly string[]): string => names.join(text.separator)

/** A time of day; after the weekday if it is not today. `Intl` would put it into brackets in Japanese. */
export function clock(time: number): string {
  const date = new Date(time)
  const locale = language === 'en' ? 'en-GB' : language
  const hours = date.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
  if (date.toDateString() === new Date().toDateString()) return hours
  const weekday = language === 'ja' ? 'long' : 'short'
  return `${date.toLocaleDateString(locale, { weekday })} ${hours}`
}

/** Keys of texts without values. */
type Label = { [key in keyof Texts]: Texts[key] extends string ? key : never }[keyof Texts]

/** Puts the texts into popup.html. A child of an element stands where its text has `{gateway}`. */
export function showTexts(): void {
  document.documentElement.lang = language
  for (const one of document.querySelectorAll<HTMLElement>('[data-text]')) {
    const [before = '', after = ''] = text[one.dataset.text as Label].split('{gateway}')
    one.prepend(before)
    one.append(after)
  }
  for (const one of document.querySelectorAll<HTMLElement>('[data-label]')) {
    one.ariaLabel = text[one.dataset.label as Label]
  }
}
