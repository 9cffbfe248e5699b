/**
 * The language of this document: `?lang=` in the address, else the user's choice, else that of the browser. The
 * playground on the same origin has the same setting.
 */

import { localeNames } from '../../playground/locale/languages.ts'
import { type Language, languageOf } from '../../src/translation.ts'

export type { Language }

/** The setting `locale` of the playground: JSON, `""` without a choice. */
const key = 'pagemcp.playground.locale'

const asked = new URLSearchParams(location.search).get('lang')

export const language: Language = chosen()

/** The tag for `Intl`: times of 24 hours in English, too. */
export const tag = language === 'en' ? 'en-GB' : language

function chosen(): Language {
  const wanted = asked ?? stored()
  return languageOf(wanted ? [wanted] : navigator.languages)
}

function stored(): string | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '""')
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined // no storage, or not JSON
  }
}

/** An address within this site, in the language that this document was opened in. */
export function inLanguage(href: string): string {
  if (asked === null) return href
  const [path, query = ''] = href.split('?')
  const params = new URLSearchParams(query)
  params.set('lang', language)
  return `${path}?${params}`
}

/** A field that changes the language: stores the choice and loads the document again. */
export function languageField(label: string): HTMLElement {
  const field = document.createElement('select')
  field.className = 'plain language'
  field.ariaLabel = label
  for (const [code, name] of Object.entries(localeNames)) {
    const option = new Option(name, code, code === language, code === language)
    option.lang = code
    field.append(option)
  }
  field.addEventListener('change', () => {
    try {
      localStorage.setItem(key, JSON.stringify(field.value))
    } catch {
      // no storage: the address has the language
    }
    const url = new URL(location.href)
    url.searchParams.set('lang', field.value)
    location.replace(url)
  })
  return field
}
