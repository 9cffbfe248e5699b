/** The result of validating a value against a schema. */

/** A JSON Schema: of 2020-12, or of draft 7 according to its `$schema`. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The outcome of a check: what the value became, or why it does not fit. */
export type Checked = { readonly value: unknown } | { readonly problems: readonly Problem[] }

export interface Problem {
  /** A JSON Pointer (RFC 6901); `''` is the value as a whole. */
  readonly path: string
  readonly message: string
}
