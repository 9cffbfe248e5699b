/** The popup in the language of the browser. */

import { type Texts, texts, uiLanguage } from './popup.texts.ts'

export const language = uiLanguage()

export const text = texts[language]

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
