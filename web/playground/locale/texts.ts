/**
 * The types of all texts. A file `<area>.texts.ts` has the texts of an area in all languages, beside its code, and adds
 * its type to {@link English}. A bundle takes one language out of each: `<language>.ts` beside this file is replaced by
 * all areas of that language (server/bundle/texts.go; web/test/harness/texts.ts in tests under Node).
 */

/** The English texts by area. Each file of texts adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: see above
export interface English {}

/** Plural categories of a text; CLDR defines which of them a language has. */
export type Plural = { readonly other: string } & {
  readonly [category in 'zero' | 'one' | 'two' | 'few' | 'many']?: string
}

/** The same keys as the English texts, with any strings. */
export type Translated<Texts> = {
  readonly [key in keyof Texts]: Texts[key] extends string
    ? string
    : Texts[key] extends Plural
      ? Plural
      : Translated<Texts[key]>
}

export type Messages = Translated<English>

type Keys<T, Before extends string = ''> = {
  [K in keyof T & string]: T[K] extends string | Plural
    ? `${Before}${K}`
    : Keys<T[K], `${Before}${K}.`>
}[keyof T & string]

/** `area.name`, such as `timeline.pause`. */
export type Key = Keys<English>
