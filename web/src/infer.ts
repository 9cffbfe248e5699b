/**
 * The types that JSON Schemas describe, derived by the type checker from schemas whose literals it knows:
 * written `as const`, or in place as an argument of `tool`. Types only; nothing of this is in the bundle.
 * Written here and not taken from json-schema-to-ts: the published declarations would import that package
 * in every app, and it does not know `prefixItems` and `$defs` of 2020-12.
 *
 * A value that the engine's validation accepts always has the derived type. Keywords that types cannot
 * express (`not`, `if`, `pattern`, bounds and others) do not narrow it.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-validation
 */

import type { JsonSchema } from './checked.ts'

/**
 * The type of the values that a JSON Schema accepts, or `unknown` where the schema does not say.
 *
 * - Properties are optional unless `required` names them. Other properties have a type only if
 *   `additionalProperties` or `patternProperties` declares them.
 * - Supported are `type`, also a list of types, `const`, `enum`, `properties`, `required`, `items`,
 *   `prefixItems` with `minItems`, `allOf`, `anyOf`, `oneOf`, and `$ref` to `#`, `#/$defs/…` and
 *   `#/definitions/…`, also recursive. Branches of `allOf`, `anyOf` and `oneOf` inherit `type` and
 *   `properties` of the schema that they are in.
 * - A schema of the type {@link JsonSchema}, whose literals are not known, has the type `unknown`.
 */
export type FromJsonSchema<S> = Of<S, S, []>

/** The arguments of a tool with the JSON Schema `S`: any object, unless the type checker knows more. */
export type ArgumentsOf<S> =
  FromJsonSchema<S> extends infer A
    ? unknown extends A
      ? Record<string, unknown>
      : A extends object
        ? A
        : Record<string, unknown>
    : never

/** `Root` is the whole schema, for `$ref`. `Refs` counts references that no property is between. */
type Of<S, Root, Refs extends unknown[]> = S extends false
  ? never
  : S extends JsonSchema
    ? Flat<
        Own<S, Root, Refs> &
          Referred<S, Root, Refs> &
          All<S, Root, Refs> &
          Some<S, 'anyOf', Root, Refs> &
          Some<S, 'oneOf', Root, Refs>
      >
    : unknown

/** Of the keywords that describe the value itself. */
type Own<S, Root, Refs extends unknown[]> = S extends { readonly const: infer C }
  ? Mutable<C>
  : S extends { readonly enum: readonly (infer E)[] }
    ? Mutable<E>
    : S extends { readonly type: infer T }
      ? Typed<T extends readonly (infer Each)[] ? Each : T, S, Root, Refs>
      : unknown

/** Distributes over the names of a list of types. */
type Typed<T, S, Root, Refs extends unknown[]> = string extends T
  ? unknown
  : T extends 'string'
    ? string
    : T extends 'number' | 'integer'
      ? number
      : T extends 'boolean'
        ? boolean
        : T extends 'null'
          ? null
          : T extends 'object'
            ? ObjectOf<S, Root>
            : T extends 'array'
              ? ArrayOf<S, Root, Refs>
              : unknown

/** An interface, and so in need of no expansion when it is displayed. */
type ObjectOf<S, Root> = Flat<
  Known<Properties<S>, RequiredNames<S>, Root> &
    Undeclared<RequiredNames<S>, Properties<S>> &
    Others<S, Root>
>

type Properties<S> = S extends { readonly properties: infer P } ? P : Record<never, never>

type RequiredNames<S> = S extends { readonly required: readonly (infer N)[] }
  ? string extends N
    ? never // a list whose literals are not known
    : N
  : never

type Known<P, Names, Root> = {
  -readonly [K in keyof P as K extends Names ? K : never]: Of<P[K], Root, []>
} & {
  -readonly [K in keyof P as K extends Names ? never : K]?: Of<P[K], Root, []>
}

/** Names that are required, and described nowhere. */
type Undeclared<Names, P> = { [K in Exclude<Names & string, keyof P>]: unknown }

/** Index signatures have to include the types of the properties. */
type Others<S, Root> = S extends { readonly additionalProperties: infer A }
  ? S extends { readonly patternProperties: infer P }
    ? Index<A extends false ? Of<P[keyof P], Root, []> : Of<P[keyof P] | A, Root, []>, S, Root>
    : A extends false
      ? unknown
      : Index<Of<A, Root, []>, S, Root>
  : S extends { readonly patternProperties: object }
    ? { [name: string]: unknown }
    : IsOpen<S> extends true
      ? { [name: string]: unknown }
      : unknown

/** Whether nothing says which properties the object has. */
type IsOpen<S> = keyof Properties<S> | RequiredNames<S> extends never
  ? Extract<keyof S, 'allOf' | 'anyOf' | 'oneOf' | '$ref'> extends never
    ? true
    : false
  : false

type Index<T, S, Root> = keyof Properties<S> extends never
  ? { [name: string]: T }
  : { [name: string]: T | PropertyTypes<Properties<S>, Root> | Missing<S> }

type PropertyTypes<P, Root> = { [K in keyof P]: Of<P[K], Root, []> }[keyof P]

type Missing<S> = keyof Properties<S> extends RequiredNames<S> ? never : undefined

type ArrayOf<S, Root, Refs extends unknown[]> = S extends {
  readonly prefixItems: infer P extends readonly unknown[]
}
  ? TupleOf<P, S extends { readonly items: infer I } ? I : true, S, Root, Refs>
  : S extends { readonly items: infer P extends readonly unknown[] } // draft 7
    ? TupleOf<P, S extends { readonly additionalItems: infer I } ? I : true, S, Root, Refs>
    : S extends { readonly items: infer I }
      ? Of<I, Root, Refs>[]
      : unknown[]

type TupleOf<P extends readonly unknown[], Rest, S, Root, Refs extends unknown[]> = [
  ...Items<P, S extends { readonly minItems: infer N } ? N : 0, Root, Refs>,
  ...(Rest extends false ? [] : Of<Rest, Root, Refs>[]),
]

/** Items from `Min` on may be missing. */
type Items<
  P extends readonly unknown[],
  Min,
  Root,
  Refs extends unknown[],
  Done extends unknown[] = [],
> = P extends readonly [infer First, ...infer More]
  ? Done['length'] extends Min
    ? Partial<[Of<First, Root, Refs>, ...Items<More, 0, Root, Refs>]>
    : [Of<First, Root, Refs>, ...Items<More, Min, Root, Refs, [...Done, unknown]>]
  : []

/** Recursion without a property between is cut off here: the type checker cannot defer it. */
type Referred<S, Root, Refs extends unknown[]> = S extends { readonly $ref: infer R }
  ? Refs['length'] extends 8
    ? unknown
    : Of<Target<R, Root>, Root, [...Refs, unknown]>
  : unknown

type Target<R, Root> = R extends '#'
  ? Root
  : R extends `#/$defs/${infer Name}`
    ? Root extends { readonly $defs: { readonly [N in Name]: infer D } }
      ? D
      : unknown
    : R extends `#/definitions/${infer Name}`
      ? Root extends { readonly definitions: { readonly [N in Name]: infer D } }
        ? D
        : unknown
      : unknown

type All<S, Root, Refs extends unknown[]> = S extends {
  readonly allOf: infer Each extends readonly unknown[]
}
  ? AllOf<Each, S, Root, Refs>
  : unknown

type AllOf<
  Each extends readonly unknown[],
  S,
  Root,
  Refs extends unknown[],
> = number extends Each['length']
  ? unknown
  : Each extends readonly [infer First, ...infer More]
    ? Of<Branch<First, S>, Root, Refs> & AllOf<More, S, Root, Refs>
    : unknown

type Some<S, Keyword extends 'anyOf' | 'oneOf', Root, Refs extends unknown[]> = S extends {
  readonly [K in Keyword]: readonly (infer Each)[]
}
  ? BranchesOf<Each, S, Root, Refs>
  : unknown

/** Distributes over the branches. */
type BranchesOf<Each, S, Root, Refs extends unknown[]> = Each extends unknown
  ? Of<Branch<Each, S>, Root, Refs>
  : never

/** A branch describes the same value as the schema that it is in. */
type Branch<B, S> = B extends JsonSchema
  ? B & Omit<Pick<S, Extract<keyof S, 'type' | 'properties'>>, keyof B>
  : B

/** `as const` makes values readonly; values of arguments are not. */
type Mutable<T> = T extends readonly unknown[]
  ? { -readonly [K in keyof T]: Mutable<T[K]> }
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T

/** Displays an intersection of objects as one. */
type Flat<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]: T[K] } : T
