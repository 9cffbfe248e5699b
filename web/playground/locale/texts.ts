/**
 * The types of all texts. Each room has a directory `texts` with one file per language. Two modules per language
 * collect them: `<language>.ts` those of the first view, `<language>-more.ts` the others. Bundles name chunks by
 * these modules.
 */

import type { first } from './en.ts'
import type { more } from './en-more.ts'

type English = typeof first & typeof more

/** Plural categories of a text; CLDR defines which of them a language has. */
export type Plural = { readonly other: string } & {
  readonly [category in 'zero' | 'one' | 'two' | 'few' | 'many']?: string
}

/** The same keys as the English texts, with any strings. */
type Translated<Texts> = {
  readonly [key in keyof Texts]: Texts[key] extends string
    ? string
    : Texts[key] extends Plural
      ? Plural
      : Translated<Texts[key]>
}

export type First = Translated<typeof first>
export type More = Translated<typeof more>
export type Messages = First & More

type Keys<T, Before extends string = ''> = {
  [K in keyof T & string]: T[K] extends string | Plural
    ? `${Before}${K}`
    : Keys<T[K], `${Before}${K}.`>
}[keyof T & string]

/** `area.name`, such as `timeline.pause`. */
export type Key = Keys<English>
