/**
 * Types of prompts, tools and completions, and of the arguments and results of their handlers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server
 */

import type { ContentBlock } from './blocks.ts'
import type { Checked, JsonSchema } from './checked.ts'
import type { InputRequest } from './input.ts'
import type { Icon, Json } from './metadata.ts'
import type { Checker } from './schema.ts'
import type { StandardSchema } from './standard.ts'

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

/** The call of a tool: a task, which outlives its request, or an ordinary call. A handler treats both alike. */
export interface CallTask {
  /** Whether the call became a task. */
  readonly isTask: boolean
  /** Says what the handler does now, to the user and the model. In an ordinary call it is sent as progress. */
  message(text: string): void
  /**
   * Requests input of the client, and resolves with the answers to all of it, which may take until the task ends. In
   * an ordinary call this is {@link CallRequest.need}: the handler runs again from its start.
   */
  input<R extends Record<string, InputRequest>>(requests: R): Promise<InputAnswers<R>>
  /** Aborted when the task is cancelled, or its time is over. */
  readonly signal: AbortSignal
}

/** The client's answers, by the keys of the requests. */
export type InputAnswers<R extends Record<string, InputRequest>> = {
  [K in keyof R]: R[K] extends InputRequest<infer Answer> ? Answer : unknown
}

/** The request that a handler of a prompt or tool gets, with functions to reach the client while it runs. */
export interface CallRequest {
  /** Aborted when the client cancels, its channel closes, or the call times out. */
  readonly signal: AbortSignal
  readonly client: Caller
  /** Members of the request's `_meta` that the engine does not use, such as `traceparent`. */
  readonly meta: Record<string, unknown>
  /**
   * Sends progress to clients that requested it; the numbers must rise. Also extends the timeout: a call
   * fails after 30 s without progress.
   */
  progress(progress: number, total?: number, message?: string): void
  /**
   * Sends a log message with the call, if the client wants its level. It must not contain secrets. Needs
   * `capabilities: { logging: true }` at `start`.
   */
  log(level: LogLevel, data: Json, logger?: string): void
  /** The client's answers so far, by key, not validated. */
  readonly inputs: Record<string, unknown>
  /** The `state` that {@link CallRequest.need} got in the previous run. */
  readonly state: Json | undefined
  /**
   * Returns the client's answers to these requests, if all are there and well-formed. Otherwise throws an
   * error that makes the engine send the requests to the client: do not catch it. **The handler then runs
   * again from its start**, and this returns. Everything before it must be safe to run twice.
   *
   * @param state - available in the next run as {@link CallRequest.state}. The client stores it: it cannot
   *   change it, but it can read and keep it. Default: the previous state
   */
  need<R extends Record<string, InputRequest>>(requests: R, state?: Json): InputAnswers<R>
  /** Of a tool: what it needs where its call became a task. */
  readonly task: CallTask
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
}
