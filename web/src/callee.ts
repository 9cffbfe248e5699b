/**
 * What has prompts, tools and completions, and what its handlers get and return: types alone, for those who write
 * sources and for what calls them.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server
 */

import type { ContentBlock } from './blocks.ts'
import type { JsonSchema } from './checked.ts'
import type { InputRequest } from './input.ts'
import type { Icon, Json } from './metadata.ts'
import type { StandardSchema } from './standard.ts'

/** How serious a log message is; RFC 5424, least first. */
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

/** What completes an argument, best first. */
export interface Completion {
  /** The first 100 are sent. */
  values: readonly string[]
  /** How many there are in all, if that is known. */
  total?: number
  /** Whether there are more than `values`. */
  hasMore?: boolean
}

/** What is known when an argument is completed. */
export interface CompletionContext {
  /** The arguments, or variables, that have been chosen already. */
  readonly arguments: Record<string, string>
  /** Ends when nobody waits for the answer any more. */
  readonly signal: AbortSignal
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

/** Something that is filled in. */
export interface PromptArgument {
  name: string
  title?: string
  description?: string
  /** Without it, the engine refuses the call. */
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

/** What a prompt comes to: a string is one message of the user's. */
export type PromptAnswer = string | PromptMessage[] | PromptResult

/** JSON Schema, or a schema of a library that implements Standard Schema, such as zod. */
export type ToolSchema = JsonSchema | StandardSchema

/** Hints for clients; they are not to be trusted. */
export interface ToolAnnotations {
  title?: string
  /** It changes nothing. */
  readOnlyHint?: boolean
  /** What it changes may be lost. */
  destructiveHint?: boolean
  /** Calling it again with the same arguments changes nothing more. */
  idempotentHint?: boolean
  /** It reaches out of the page. */
  openWorldHint?: boolean
}

/** Describes a tool. */
export interface ToolDescription {
  /** For programs: best 1 to 128 of letters, digits, `_`, `-` and `.`. */
  name: string
  title?: string
  /** For models: what it is good for. */
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
  /** Whether the tool failed; `content` tells the model why. */
  isError?: boolean
  _meta?: Record<string, Json>
}

/**
 * What a tool comes to: a string is a block of text; blocks and a whole result are sent as they are;
 * anything else is a block of JSON text.
 */
export type ToolAnswer = string | ContentBlock | ContentBlock[] | ToolResult | Answerable
// biome-ignore lint/suspicious/noConfusingVoidType: of handlers that return nothing
type Answerable = object | number | boolean | null | undefined | void

/** Who calls. */
export interface Caller {
  /** As policy sees it: the origin of a window, `page`, or whom a gateway speaks for. */
  readonly principal: string
  /** What the client says that it can do. */
  readonly capabilities: Record<string, unknown>
  /** Whether it speaks 2026-07-28. */
  readonly modern: boolean
}

/** What the handler of a prompt or tool is told, and how it speaks to the client while it works. */
export interface CallRequest {
  /** Ends when the client cancels, its channel closes, or time is up. */
  readonly signal: AbortSignal
  readonly client: Caller
  /** Members of the request's `_meta` that mean nothing to the engine, such as `traceparent`. */
  readonly meta: Record<string, unknown>
  /**
   * Says how far the work is, for clients that want to know; the numbers must rise. Gives the call
   * more time in any case: after 30 s without it, it fails.
   */
  progress(progress: number, total?: number, message?: string): void
  /**
   * Sends a log message with the call, if the client wants such. It must not hold secrets. Needs
   * `capabilities: { logging: true }` at `start`.
   */
  log(level: LogLevel, data: Json, logger?: string): void
  /** The client's answers so far, by key, as they came. */
  readonly inputs: Record<string, unknown>
  /** What was given to {@link CallRequest.need} as state before. */
  readonly state: Json | undefined
  /**
   * Returns the client's answers to these requests, if all are there and well-formed. Else it throws
   * what makes the engine ask the client: let that through. **The handler then runs again from its
   * start**, in which this returns: what it does before must bear being done twice.
   *
   * @param state - comes back as {@link CallRequest.state}; it goes through the client, which cannot
   *   change it but can keep it. Default: the one before
   */
  need<R extends Record<string, InputRequest>>(
    requests: R,
    state?: Json,
  ): { [K in keyof R]: R[K] extends InputRequest<infer Answer> ? Answer : unknown }
}

/** What completion is asked for. */
export type CompletionRef =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string }

/**
 * Who has prompts, tools and completions: a part of what a source is, and each of what was registered
 * by itself. Of a source, whatever rejects with `NotFoundError` is not here: others are asked.
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
  /** Arguments are an object, but not checked: that is the source's affair. */
  callTool?(name: string, args: Record<string, unknown>, request: CallRequest): Promise<ToolAnswer>
  /** Suggests values for an argument of a prompt, or a variable of a template or of a URI of it. */
  complete?(
    ref: CompletionRef,
    argument: { name: string; value: string },
    context: CompletionContext,
  ): Promise<readonly string[] | Completion>
}

/** Answers a method of an extension; `undefined`: there is no such method. */
export type Extend = (
  method: string,
  params: Record<string, unknown>,
  request: CallRequest,
) => Promise<object | undefined>
