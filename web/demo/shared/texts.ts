/**
 * Texts in the language of this document, a catalogue for each language and demo. The catalogues of other languages are
 * loaded on demand, and have the type of the English one, so that a missing text is a build error.
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

type Loaders<T> = { readonly [code in Exclude<Language, 'en'>]: () => Promise<{ texts: T }> }

/** The language that is shown: English, if the texts of another one did not load. */
let shown: Language = language

/**
 * Returns the catalogue of this document's language.
 *
 * @param english - which is also shown if the chunk of another language does not load
 */
export async function load<T>(english: T, others: Loaders<T>): Promise<T> {
  if (language === 'en') return english
  try {
    return (await others[language]()).texts
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
