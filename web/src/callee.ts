/**
 * Types of prompts, tools and completions, and of the arguments and results of their handlers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server
 */

import type { ContentBlock } from './blocks.ts'
import type { Checked, JsonSchema } from './checked.ts'
import type { FormSchema, FormValue, InputRequest } from './input.ts'
import type { Icon, Json } from './metadata.ts'
import type { Checker } from './schema.ts'
import type { OutputOf, StandardSchema } from './standard.ts'

/** The severity of a log message; RFC 5424, lowest first. */
export type LogLevel = (typeof logLevels)[number]
export const logLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const

/** Values for an argument, best first. */
export interface Completion {
  /** The first 100 are sent. */
  values: readonly string[]
  /** The number of all values, if known. */
  total?: number
  /** Whether there are more than `values`. */
  hasMore?: boolean
}

/** The context of a completion. */
export interface CompletionContext {
  /** The arguments, or variables, that already have values. */
  readonly arguments: Record<string, string>
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal
  /** On whose behalf: see `client` of ReadOptions. */
  readonly client?: string | undefined
}

/** Describes a prompt. */
export interface PromptDescription {
  /** For programs, and for people when there is no `title`. */
  name: string
  title?: string
  description?: string
  arguments?: PromptArgument[]
  icons?: Icon[]
  _meta?: Record<string, Json>
}

/** An argument of a prompt. */
export interface PromptArgument {
  name: string
  title?: string
  description?: string
  /** The engine rejects calls without it. */
  required?: boolean
}

export interface PromptMessage {
  role: 'user' | 'assistant'
  content: ContentBlock
}

export interface PromptResult {
  description?: string
  messages: PromptMessage[]
  _meta?: Record<string, Json>
}

/** The answer of a prompt: a string is one message with the role `user`. */
export type PromptAnswer = string | PromptMessage[] | PromptResult

/** JSON Schema, or a schema of a library that implements Standard Schema, such as zod. */
export type ToolSchema = JsonSchema | StandardSchema

/** Hints for clients, which must not rely on them. */
export interface ToolAnnotations {
  title?: string
  /** It changes nothing. */
  readOnlyHint?: boolean
  /** It may delete or overwrite data. */
  destructiveHint?: boolean
  /** Another call with the same arguments has no further effect. */
  idempotentHint?: boolean
  /** It has effects outside of the page. */
  openWorldHint?: boolean
}

/** Describes a tool. */
export interface ToolDescription {
  /** For programs: best 1 to 128 of letters, digits, `_`, `-` and `.`. */
  name: string
  title?: string
  /** For models: when to use it. */
  description?: string
  /** Of the arguments, an object. Default: any object. */
  inputSchema?: ToolSchema
  /** Of the structured content. */
  outputSchema?: ToolSchema
  annotations?: ToolAnnotations
  icons?: Icon[]
  _meta?: Record<string, Json>
}

export interface ToolResult {
  content?: ContentBlock[]
  /** Fits the `outputSchema`. */
  structuredContent?: unknown
  /** Whether the tool failed; `content` has the reason, for the model. */
  isError?: boolean
  _meta?: Record<string, Json>
}

/**
 * The answer of a tool: a string is a block of text; blocks and a whole result are sent as they are;
 * anything else becomes a block of JSON text.
 */
export type ToolAnswer = string | ContentBlock | ContentBlock[] | ToolResult | Answerable
// biome-ignore lint/suspicious/noConfusingVoidType: of handlers that return nothing
type Answerable = object | number | boolean | null | undefined | void

/** The client that sent a call. */
export interface Caller {
  /** The identity that policies use: the origin of a window, `page`, or the assistant behind a gateway. */
  readonly principal: string
  /** The capabilities that the client declares. */
  readonly capabilities: Record<string, unknown>
  /** Whether it speaks 2026-07-28. */
  readonly modern: boolean
}

/** The client's answers, by the keys of the requests. */
export type InputAnswers<R extends Record<string, InputRequest>> = {
  [K in keyof R]: R[K] extends InputRequest<infer Answer> ? Answer : unknown
}

/**
 * Asks the user, by the client, and waits for the answer, at most 10 minutes: the handler goes on where it is. One question
 * is open at a time; others wait for it. Rejects with the signal's reason if the call ends before, and for a client that cannot be
 * asked, which gets that as an error unless the handler catches it.
 */
export interface Ask {
  /**
   * A form: an object whose properties are strings, numbers, booleans or choices. Without a schema, whether the user agrees. Not
   * for passwords or other secrets: use `elicitUrl`. If the user declines, it rejects with a `ToolError` that says so.
   */
  (message: string): Promise<void>
  <S extends StandardSchema | FormSchema>(message: string, schema: S): Promise<FormAnswer<S>>
  /** A request that `elicit`, `elicitUrl`, `sample` or `roots` has made; several are sent together. */
  <A>(request: InputRequest<A>): Promise<A>
  <R extends Record<string, InputRequest>>(requests: R): Promise<InputAnswers<R>>
}

type FormAnswer<S> = S extends StandardSchema ? OutputOf<S> : Record<string, FormValue>

/** The request that a handler of a prompt or tool gets, with functions to reach the client while it runs. */
export interface CallRequest {
  /** Aborted when the client cancels, its channel closes, or the call times out. */
  readonly signal: AbortSignal
  readonly client: Caller
  /** Members of the request's `_meta` that the engine does not use, such as `traceparent`. */
  readonly meta: Record<string, unknown>
  /**
   * Sends progress to clients that requested it; the numbers must rise. A text alone says what the handler does now. Also
   * extends the timeout: a call fails after 30 s without progress.
   */
  progress(message: string): void
  progress(progress: number, total?: number, message?: string): void
  /**
   * Sends a log message with the call, if the client wants its level. It must not contain secrets. Needs
   * `capabilities: { logging: true }` at `start`.
   */
  log(level: LogLevel, data: Json, logger?: string): void
  readonly ask: Ask
  /**
   * Whether the call of a tool became a task, which outlives its request: then progress is a message for the user and the
   * model, and the signal is aborted when the task is cancelled or its time is over.
   */
  readonly isTask: boolean
  /** What `prepare` of the tool has returned. */
  readonly prepared: unknown
}

/** A request as the parts of the package see it. */
export interface OwnCallRequest extends CallRequest {
  /** The tool is only to be prepared: see `prepare` of a tool. */
  readonly prepares?: boolean
  /** Checks arguments of a tool as models send them: see arguments.ts, which is loaded by the first call. */
  check(args: Record<string, unknown>, input: Checker | undefined): Promise<Checked>
}

/** The prompt or template that an argument is completed of. */
export type CompletionRef =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string }

/**
 * Has prompts, tools and completions: part of a source, and each single registration. If a method of a
 * source rejects with `NotFoundError`, the engine tries the next source.
 */
export interface Callee {
  /** All prompts, in a stable order. */
  prompts?(): Promise<readonly PromptDescription[]>
  getPrompt?(
    name: string,
    args: Record<string, string>,
    request: CallRequest,
  ): Promise<PromptAnswer>
  /** All tools, in a stable order. */
  tools?(): Promise<readonly ToolDescription[]>
  /** Arguments are an object; the source validates them. */
  callTool?(name: string, args: Record<string, unknown>, request: CallRequest): Promise<ToolAnswer>
  /** Suggests values for an argument of a prompt, or a variable of a template or of a URI of it. */
  complete?(
    ref: CompletionRef,
    argument: { name: string; value: string },
    context: CompletionContext,
  ): Promise<readonly string[] | Completion>
}

/**
 * Completes an argument. Of a list, the values that fit are offered: first those that begin with the typed
 * text, then those that contain it, then those that have its letters in order, ignoring case. The answer of
 * a function is offered unchanged. A list must not change in place: gateways keep what was completed from it
 * until something is registered or removed.
 */
export type CompletionProvider =
  | readonly string[]
  | ((
      value: string,
      context: CompletionContext,
    ) => readonly string[] | Completion | Promise<readonly string[] | Completion>)

/** Something that the web app has registered. */
export interface RegisteredCallee extends Callee {
  /** Completes arguments, or variables, by name. The code for it is loaded with the first call. */
  completions?: Record<string, CompletionProvider>
  /** What the user is asked before a call of the tool; `undefined`: its arguments are not valid. */
  confirm?(args: unknown): Promise<string | undefined>
}
