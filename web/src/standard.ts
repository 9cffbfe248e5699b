/**
 * The interfaces of schema libraries: Standard Schema to validate, and Standard JSON Schema to describe.
 * Copied from the specification, so that no library is needed.
 *
 * @see https://standardschema.dev
 */

/**
 * A schema of a library that implements Standard Schema and Standard JSON Schema, such as zod (4.2 or
 * newer) and ArkType; Valibot's by `toStandardJsonSchema`.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (
      value: unknown,
    ) => StandardResult<Output> | PromiseLike<StandardResult<Output>>
    /** Exists for the type checker only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Makes the JSON Schema of input and output; may throw if there is none. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>
    }
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The type that a schema accepts. */
export type InputOf<S> = S extends StandardSchema ? Types<S>['input'] : never

/** The type that a schema returns. */
export type OutputOf<S> = S extends StandardSchema ? Types<S>['output'] : never

type Types<S extends StandardSchema> = NonNullable<S['~standard']['types']>

/** Whether a value is a schema of such a library; it may be a function. */
export function isStandard(value: unknown): value is StandardSchema {
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return false
  return '~standard' in value
}
