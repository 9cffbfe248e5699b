/**
 * Texts in the language of this document: English is in the code, and translations of all demos are a chunk for each
 * language, which is loaded on demand (web/texts).
 */

import { type Plural, say as sayIn, translated } from '../../src/translation.ts'
import { type Language, language, tag } from './language.ts'

/** A catalogue. Entries that are not text are for the program: lists, contents of a demo. */
export interface Texts {
  readonly [key: string]: unknown
}

const catalogues = {
  de: () => import('../../texts/demos.de.json', { with: { type: 'json' } }),
  ja: () => import('../../texts/demos.ja.json', { with: { type: 'json' } }),
  'zh-Hans': () => import('../../texts/demos.zh-Hans.json', { with: { type: 'json' } }),
}

/** The language that is shown: English, if the texts of another one did not load. */
let shown: Language = language

/**
 * Returns the texts of a demo in the language of this document.
 *
 * @param name - member of the catalogues
 * @param english - what is shown for texts that a language lacks, and if its chunk does not load
 */
export async function load<T>(name: string, english: T): Promise<T> {
  if (language === 'en') return english
  try {
    const all: { readonly [name: string]: unknown } = (await catalogues[language]()).default
    return translated(english, all[name])
  } catch {
    shown = 'en'
    return english
  }
}

/**
 * Writes the texts into the elements that name them: `data-text` for the content (what stands between backticks is
 * code), `data-label` for `aria-label`, `data-hint` for `placeholder`. Sets `lang` of the document.
 */
export function fill(texts: Texts, root: ParentNode = document): void {
  document.documentElement.lang = shown
  for (const one of root.querySelectorAll<HTMLElement>('[data-text], [data-label], [data-hint]')) {
    const { text, label, hint } = one.dataset
    const content = textOf(texts, text)
    if (content !== undefined) one.replaceChildren(...withCode(content))
    one.ariaLabel = textOf(texts, label) ?? one.ariaLabel
    if (hint !== undefined) one.setAttribute('placeholder', textOf(texts, hint) ?? '')
  }
}

/** `undefined`: the element has no such text, or the program writes it. */
function textOf(texts: Texts, key: string | undefined): string | undefined {
  const text = key === undefined ? undefined : texts[key]
  return typeof text === 'string' ? text : undefined
}

function withCode(text: string): (string | Node)[] {
  return text.split('`').map((part, i) => {
    if (i % 2 === 0) return part
    const code = document.createElement('code')
    code.textContent = part
    return code
  })
}

/** A text with its `{name}`s replaced; numbers are written as the language does. */
export const say = (
  text: string | Plural,
  params: { readonly [name: string]: string | number } = {},
): string => sayIn(text, params, tag)
