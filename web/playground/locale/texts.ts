/**
 * The types of all texts. A file `<area>.texts.ts` has the English texts of an area, beside its code, and adds its type
 * to {@link English}. The bundler puts them together in place of `en.ts` beside this file (server/bundle/texts.go;
 * web/test/harness/texts.ts in tests under Node). Translations are data: web/texts.
 */

/** The English texts by area. Each file of texts adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: see above
export interface English {}

/** Plural categories of a text; CLDR defines which of them a language has. */
export type Plural = { readonly other: string } & {
  readonly [category in 'zero' | 'one' | 'two' | 'few' | 'many']?: string
}

export type Messages = English

type Keys<T, Before extends string = ''> = {
  [K in keyof T & string]: T[K] extends string | Plural
    ? `${Before}${K}`
    : Keys<T[K], `${Before}${K}.`>
}[keyof T & string]

/** `area.name`, such as `timeline.pause`. */
export type Key = Keys<English>
