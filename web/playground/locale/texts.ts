/** What the texts of a language are: the shape of the English ones, by which the others are typed. */

import type { first } from './en/index.ts'
import type { more } from './en/more.ts'

type English = typeof first & typeof more

/** Plural categories of a text; which a language has is CLDR's. */
export type Plural = { readonly other: string } & {
  readonly [category in 'zero' | 'one' | 'two' | 'few' | 'many']?: string
}

/** The shape of the English texts, with other words. */
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
