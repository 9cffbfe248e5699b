/**
 * Texts in the language of this document: English is in the code, and translations of all demos are a chunk for each
 * language, which is loaded on demand (web/texts).
 */

import { type Language, language, tag } from './language.ts'

/** A text that depends on the number `{count}`, by plural category. */
export interface Plural {
  readonly one?: string
  readonly other: string
}

/** A catalogue. Entries that are not text are for the program: lists, contents of a demo. */
export interface Texts {
  readonly [key: string]: unknown
}

/** The texts of a language, and the English ones where a translation is missing. Lists are translated as a whole. */
function translated<T>(english: T, translation: unknown): T {
  if (typeof english !== 'object' || english === null || Array.isArray(english)) {
    return (translation as T | undefined) ?? english
  }
  const from = (translation ?? {}) as Readonly<Record<string, unknown>>
  const all = Object.entries(english).map(([key, text]) => [key, translated(text, from[key])])
  return { ...from, ...Object.fromEntries(all) } as T
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
export function say(
  text: string | Plural,
  params: { readonly [name: string]: string | number } = {},
): string {
  const form =
    typeof text === 'string' ? 'other' : new Intl.PluralRules(tag).select(Number(params.count))
  const chosen = typeof text === 'string' ? text : (form === 'one' && text.one) || text.other
  return chosen.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name]
    if (value === undefined) return whole
    return typeof value === 'number' ? value.toLocaleString(tag) : value
  })
}
