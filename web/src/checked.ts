/** What a check of a value against a schema comes to. */

/** A JSON Schema: of 2020-12, or, if its `$schema` says so, of draft 7. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The outcome of a check: what the value became, or why it does not fit. */
export type Checked = { readonly value: unknown } | { readonly problems: readonly Problem[] }

export interface Problem {
  /** A JSON Pointer (RFC 6901); `''` is the value as a whole. */
  readonly path: string
  readonly message: string
}
