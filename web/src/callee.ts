/**
 * Types of prompts, tools and completions, and of the arguments and results of their handlers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server
 */

import type * as calls from './answer-call.ts'

import { lazily } from './module.ts'
import type { Annotations, Icon, Json } from './source.ts'
import type { Checker, RegisteredTool } from './tool.ts'
import { internal } from './wasm-numbers.ts'

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
  /** Checks arguments of a tool as models send them: see answer-call.ts, which is loaded by the first call. */
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
  /** Instead of {@link Callee.callTool}. */
  tool?: RegisteredTool
}

// Content of prompts and of tools' results: blocks of text, images, sound and resources.

interface Block {
  annotations?: Annotations
  _meta?: Record<string, Json>
}

export interface TextContent extends Block {
  type: 'text'
  text: string
}

export interface ImageContent extends Block {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
}

export interface AudioContent extends Block {
  type: 'audio'
  /** Base64. */
  data: string
  mimeType: string
}

/** A resource that the client may read, in the list or not. */
export interface ResourceLink extends Block {
  type: 'resource_link'
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  /** Bytes. */
  size?: number
  icons?: Icon[]
}

/** A resource with its content. */
export interface EmbeddedResource extends Block {
  type: 'resource'
  resource: {
    uri: string
    mimeType?: string
    text?: string
    /** Base64. */
    blob?: string
    _meta?: Record<string, Json>
  }
}

export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource

/** Whether a value has the `type` of a block. */
export function isBlock(value: unknown): value is ContentBlock {
  if (typeof value !== 'object' || value === null) return false
  const { type, text, data, uri, resource } = value as Record<string, unknown>
  switch (type) {
    case 'text':
      return typeof text === 'string'
    case 'image':
    case 'audio':
      return typeof data === 'string'
    case 'resource_link':
      return typeof uri === 'string'
  }
  return type === 'resource' && typeof resource === 'object' && resource !== null
}

/** Text as a block. */
export function textBlock(text: string): TextContent {
  return { type: 'text', text: text.toWellFormed() }
}

// The result of validating a value against a schema.

/** A JSON Schema: of 2020-12, or of draft 7 according to its `$schema`. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The outcome of a check: what the value became, or why it does not fit. */
export type Checked = { readonly value: unknown } | { readonly problems: readonly Problem[] }

export interface Problem {
  /** A JSON Pointer (RFC 6901); `''` is the value as a whole. */
  readonly path: string
  readonly message: string
}

// The interfaces of schema libraries: Standard Schema to validate, and Standard JSON Schema to describe.
// Copied from the specification, so that no library is needed.

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

// Requests that a prompt or tool sends to the client while it runs: a form, a page to open, a message for
// the model, the client's roots; and the validation of their answers.

/** A request to the client. `Answer` is the type of its result. */
export interface InputRequest<Answer = unknown> {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params: { readonly [name: string]: unknown }
  /** Exists for the type checker only. */
  readonly answer?: Answer
}

/** The user's reaction to a form. */
export type ElicitAnswer =
  | { readonly action: 'accept'; readonly content: Record<string, FormValue> }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined }
export type FormValue = string | number | boolean | string[]

/** The user's reaction to the request to open a page; `accept` does not prove that the page was opened. */
export interface ElicitUrlAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
}

/** A form: an object whose properties are strings, numbers, booleans, or choices. */
export interface FormSchema {
  readonly type: 'object'
  readonly properties: { readonly [name: string]: { readonly [keyword: string]: unknown } }
  readonly required?: readonly string[]
}

/** The answer of the client's model. */
export interface SampleAnswer {
  readonly role: 'user' | 'assistant'
  readonly content: ContentBlock | ContentBlock[]
  readonly model?: string
  readonly stopReason?: string
}

/** The messages for the client's model, and its settings. */
export interface SampleParams {
  readonly messages: readonly {
    readonly role: 'user' | 'assistant'
    readonly content: ContentBlock | readonly ContentBlock[]
  }[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly modelPreferences?: { readonly [name: string]: unknown }
  readonly includeContext?: 'none' | 'thisServer' | 'allServers'
  readonly [more: string]: unknown
}

/** Folders and files that the client works with. */
export interface RootsAnswer {
  readonly roots: readonly { readonly uri: string; readonly name?: string }[]
}

/**
 * Requests that the user fills in a form. Not for passwords or other secrets: use {@link elicitUrl}.
 */
export function elicit(message: string, requestedSchema: FormSchema): InputRequest<ElicitAnswer> {
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } }
}

/** Requests that the user opens a page; the client opens it when the user agrees. */
export function elicitUrl(message: string, url: string): InputRequest<ElicitUrlAnswer> {
  return { method: 'elicitation/create', params: { mode: 'url', message, url } }
}

/** Requests an answer of the client's model. */
export function sample(params: SampleParams): InputRequest<SampleAnswer> {
  return { method: 'sampling/createMessage', params }
}

/** Requests the client's roots. */
export function roots(): InputRequest<RootsAnswer> {
  return { method: 'roots/list', params: {} }
}

/** Whether an answer has the form that the request requires; otherwise the request is sent again. */
export function fits({ method, params }: InputRequest, answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  const { action, content, role, roots } = answer as Record<string, unknown>
  switch (method) {
    case 'elicitation/create':
      if (action === 'decline' || action === 'cancel') return true
      if (action !== 'accept') return false
      return params.mode === 'url' || fitsForm(params.requestedSchema as FormSchema, content)
    case 'sampling/createMessage':
      return (role === 'user' || role === 'assistant') && fitsSample(content)
  }
  return Array.isArray(roots) && roots.every((root) => typeof root?.uri === 'string')
}

function fitsForm({ properties, required = [] }: FormSchema, content: unknown): boolean {
  if (typeof content !== 'object' || content === null) return required.length === 0
  const values = content as Record<string, unknown>
  if (!required.every((name) => Object.hasOwn(values, name))) return false
  return Object.entries(values).every(([name, value]) => {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
    switch (type) {
      case 'integer':
        return Number.isInteger(value)
      case 'array':
        return Array.isArray(value)
      case 'string':
      case 'number':
      case 'boolean':
        return typeof value === type
    }
    return true
  })
}

/** A block, or several; a model may also answer with uses of tools, which are no {@link ContentBlock}. */
function fitsSample(content: unknown): boolean {
  if (Array.isArray(content)) return content.every(fitsSample)
  return isBlock(content) || String((content as { type?: unknown })?.type).startsWith('tool_')
}

// Calls of prompts, tools and completions, in the thread of their handlers. answer-call.ts has the code.

/** The arguments are invalid: the client gets -32602 with this message. */
export class InvalidParamsError extends Error {
  override readonly name = 'InvalidParamsError'
}

const load = () => lazily('answer-call.js', import('./answer-call.ts'))

/** Something was registered that will be called. */
export const prepareCalls = () => void load()

/** What the user is asked before a call of a tool. */
export const confirmed = async (tool: RegisteredTool, args: unknown) =>
  (await load()).confirmation(tool, args)

/** Answers a call by the engine. */
export async function answerCall(
  ...call: Parameters<typeof calls.answerCall>
): Promise<calls.HandlerOutcome> {
  const report = call[6]
  try {
    const { answerCall: answer } = await load()
    return await answer(...call)
  } catch (error) {
    report(error)
    return { reason: internal, text: '' }
  }
}
