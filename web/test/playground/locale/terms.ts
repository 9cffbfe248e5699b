/** Checks of texts against the glossary, and of the punctuation and forms of a language. */

import { type Concept, glossary, untranslated } from '../../../playground/locale/glossary.ts'

/** Texts by their path in a catalogue. */
export type Texts = ReadonlyMap<string, string>

/** All strings by their path; of a plural, `other`, which every language has. */
export function flat(
  value: unknown,
  path = '',
  into = new Map<string, string>(),
): Map<string, string> {
  if (typeof value === 'string') into.set(path, value)
  else {
    const { one: _, ...entries } = value as Record<string, unknown>
    for (const [key, inner] of Object.entries(entries)) {
      flat(inner, path === '' ? key : `${path}.${key}`, into)
    }
  }
  return into
}

const plain = (text: string) =>
  untranslated.reduce((rest, form) => rest.replace(form, '\u0000'), text)
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** English words match as words, the others within words. Labels are capitalised, so case does not matter. */
function uses(text: string, terms: readonly string[], language: string): boolean {
  const any = terms.map(escaped).join('|')
  return new RegExp(language === 'en' ? `(?<![\\w-])(?:${any})(?![\\w-])` : any, 'i').test(text)
}

/** The name of a pane is capitalised within a sentence, too; the verb is another word. */
const isName = (terms: readonly string[]) => /^[A-Z]/.test(terms[0] as string)

/** Texts that lack a term of the glossary that the English text has, or contain a rejected synonym. */
export function problems(language: string, english: Texts, texts: Texts): string[] {
  const found: string[] = []
  for (const [concept, { terms, rejected = {} }] of Object.entries<Concept>(glossary)) {
    const key = language as keyof typeof terms
    for (const [path, text] of texts) {
      const source = plain(english.get(path) ?? '')
      const named = isName(terms.en)
        ? source.includes(terms.en[0] as string)
        : uses(source, terms.en, 'en')
      if (language !== 'en' && named && !uses(text, terms[key], language)) {
        found.push(`${path}: ${concept} is “${terms[key][0]}”, not in: ${text}`)
      }
      const wrong = rejected[key]?.filter((one) => uses(plain(text), [one], language)) ?? []
      for (const one of wrong) found.push(`${path}: “${one}” is rejected for ${concept}: ${text}`)
    }
  }
  return found
}

/** Han, kana, and full-width forms. */
const wide = '[\\u3000-\\u30ff\\u3400-\\u9fff\\uff00-\\uffef]'

/** Imperatives of „du“, without those that are also nouns. */
const imperatives =
  `Abonniere|Ändere|Baue|Beginne|Bestelle|Drücke|Entferne|Ergänze|Füge|Fülle|Gehe|Gib|Hebe|Klicke|Kopiere|
  Lass|Lies|Lösche|Mache|Merke|Nimm|Öffne|Probiere|Prüfe|Sage|Schau|Schaue|Schicke|Schreibe|Sende|Setze|Sieh|Starte|Tippe|
  Trage|Verbinde|Vergleiche|Verwende|Wähle|Warte|Zeige|Ziehe`.replace(/\s/g, '')

/** At the beginning of a sentence or after a conjunction; letters of German are no word characters. */
const duForm = new RegExp(
  `(?:^|[.:;!?…„–(] ?)(?:${imperatives}|(?:Frage|Suche|Rufe) (?:nach|jetzt|das|die|den))(?![a-zäöüß])` +
    `|(?:,|\\bund|\\boder) (?:${imperatives.toLowerCase()})(?![a-zäöüß])`,
)

const cjk = (rest: readonly (readonly [RegExp, string])[]) =>
  [
    [
      new RegExp(`${wide} ?[,;:!?]|[,;:!?] ?${wide}|${wide} ?\\(|\\)${wide}`),
      'full-width punctuation',
    ],
    [/[,;:!?](?: |$)| \(/, 'full-width punctuation'],
    [/\} ?[,;:!?]|[;:!?] ?\{/, 'full-width punctuation'],
    [/……|\.\.\./, 'an ellipsis is …'],
    ...rest,
  ] as const

/** Punctuation rules, by language: what no text may contain. */
const rules: { readonly [language: string]: readonly (readonly [RegExp, string])[] } = {
  de: [
    [
      /\bSie\b|\b[Ii]hr(?:e[mnrs]?)?\b(?=.*\bSie\b)|\bIhr(?:e[mnrs]?)?\b|\bIhnen\b/,
      'neutral forms, no Sie',
    ],
    [/\b(?:[Dd]u|[Dd]ich|[Dd]ein(?:e[mnrs]?)?)\b/, 'neutral forms, no du'],
    [duForm, 'neutral forms, no du'],
    [/[”«»]|„[^“]*$|^[^„]*“/, 'quotation marks „ “'],
    [/"[^"]*\p{Lu}[^"]*\s[^"]*"/u, 'quotation marks „ “'],
    [/\.\.\./, 'an ellipsis is …'],
  ],
  ja: cjk([]),
  'zh-Hans': cjk([[/您/, 'no 您']]),
}

/** Code, and a line of HTTP: their punctuation is not that of a language. */
const code = /\?allow=|`[^`]*`|\b[A-Z][\w-]+: (?=[A-Z])/g

/** Texts that break a rule of punctuation or form. */
export function punctuation(language: string, texts: Texts): string[] {
  return [...texts].flatMap(([path, text]) =>
    (rules[language] ?? [])
      .filter(([wrong]) => wrong.test(text.replace(code, '')))
      .map(([, rule]) => `${path}: ${rule}: ${text}`),
  )
}
