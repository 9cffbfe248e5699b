/**
 * Tools: functions that models call. Their arguments are validated before they run. Answers become content,
 * and errors become results with `isError`, because models see results only.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

export type {
  JsonSchema,
  PromptDescription,
  PromptMessage,
  PromptResult,
  ToolAnswer,
  ToolDescription,
  ToolResult,
  ToolSchema,
} from './callee.ts'

import {
  type CallRequest,
  type Checked,
  type CompletionProvider,
  type InputOf,
  isBlock,
  isStandard,
  type JsonSchema,
  type OutputOf,
  type OwnCallRequest,
  type Problem,
  type PromptAnswer,
  type PromptDescription,
  type PromptResult,
  type RegisteredCallee,
  type StandardSchema,
  type ToolAnswer,
  type ToolDescription,
  type ToolResult,
  type ToolSchema,
  textBlock,
} from './callee.ts'
import { jsonCopy } from './json.ts'
import { serializeError } from './link.ts'
import { lazily } from './module.ts'
import type { Json } from './source.ts'
import { reasonOf, reasons } from './wasm-numbers.ts'

/** Describes a tool that the web app registers. */
export interface ToolOptions<I extends ToolSchema = JsonSchema, O extends ToolSchema = JsonSchema>
  extends Omit<ToolDescription, 'name'> {
  /** Removes the registration. */
  signal?: AbortSignal
  inputSchema?: I
  outputSchema?: O
  /**
   * Whether calls become tasks, which outlive their request and end with the page, for clients with the extension
   * `io.modelcontextprotocol/tasks`. `optional`: others get an ordinary call; `required`: an error.
   */
  task?: 'optional' | 'required'
  /** How long a task may take, and its result is kept, ms; default 1 h, at most 24 h. */
  ttlMs?: number
  /**
   * The question that the user answers in the page before each call, such as `Delete ${id}?`. Sets the annotation
   * `destructiveHint`: the page asks in every mode.
   */
  confirm?: (args: ArgumentsFor<I>) => string
  /**
   * Runs before a call becomes a task, and else before the handler: it may check more than the `inputSchema` does, and ask the
   * user. What it returns, a value of JSON, is `prepared` of the handler's request.
   */
  prepare?: (args: ArgumentsFor<I>, request: CallRequest) => unknown
}

type ArgumentsFor<I> = I extends StandardSchema ? OutputOf<I> : Record<string, unknown>

/**
 * Runs a tool. Its arguments have the type of the `inputSchema`: of a library;
 * with JSON Schema they are a record. The client gets the message of a {@link ToolError}; for other errors it gets only that the
 * tool failed, and the page gets an `error` event.
 */
export type ToolHandler<I extends ToolSchema = JsonSchema, O extends ToolSchema = JsonSchema> = (
  args: ArgumentsFor<I>,
  request: CallRequest,
) => AnswerOf<O> | Promise<AnswerOf<O>>

/** With an `outputSchema` of a library, its input, or a whole result. */
type AnswerOf<O> = O extends StandardSchema ? InputOf<O> | ToolResult : ToolAnswer

/** The tool failed; the message is for the model. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** The answer does not fit the outputSchema: an error for the developer. */
class OutputError extends Error {
  override readonly name = 'OutputError'
}

/** A description as clients see it, with how it runs as a task, and the schemas in it. */
export interface DescribedTool {
  json: ToolDescription & { task?: unknown }
  input?: Checker
  output?: Checker
}

/** @throws TypeError if the name or a schema is invalid */
export function describedTool(
  description: ToolDescription & { task?: string; ttlMs?: number; confirm?: unknown },
): DescribedTool {
  const { name, title, inputSchema, outputSchema, icons, _meta } = description
  const { task: mode, ttlMs, confirm } = description
  const annotations = confirm
    ? { ...description.annotations, destructiveHint: true }
    : description.annotations
  if (typeof name !== 'string' || name === '') throw new TypeError('a tool needs a name')
  const input = inputSchema && checker(`inputSchema of ${name}`, inputSchema, 'input')
  const output = outputSchema && checker(`outputSchema of ${name}`, outputSchema, 'output')
  return {
    input,
    output,
    json: {
      name,
      title,
      description: description.description,
      inputSchema: input?.json ?? { type: 'object' },
      outputSchema: output?.json,
      annotations,
      icons,
      _meta,
      task: mode && { mode, ttlMs },
    },
  }
}

type AnyHandler = (args: never, request: CallRequest) => unknown

/** A tool that the web app has registered; answer-call.js calls it. */
export interface RegisteredTool extends DescribedTool {
  handler: AnyHandler
  prepare?: AnyHandler
  confirm?: (args: never) => string
}

/** What the user is asked before a call; `undefined`: nothing, or its arguments are not valid. */
export async function confirmation(
  { input, confirm }: RegisteredTool,
  args: unknown,
): Promise<string | undefined> {
  const checked = input ? await input.check(args) : { value: args }
  return 'problems' in checked ? undefined : confirm?.(checked.value as never)
}

/** Calls a tool of the web app. */
export async function callTool(
  { input, output, handler, prepare }: RegisteredTool,
  args: Record<string, unknown>,
  request: OwnCallRequest,
): Promise<ToolAnswer> {
  const checked = await request.check(args, input)
  if ('problems' in checked) {
    throw new ToolError(`The arguments are not valid. ${explain(checked.problems)}`)
  }
  const value = checked.value as never
  const prepared = request.isTask ? request.prepared : await prepare?.(value, request)
  if (request.prepares) return prepared as ToolAnswer
  const answer = await handler(value, { ...request, prepared })
  return output ? structured(answer, output) : (answer as ToolAnswer)
}

/** Runs a tool and makes a result of its answer or error; `mounted` as in callee.ts. */
export async function runTool(
  run: () => Promise<ToolAnswer>,
  mounted: boolean,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<ToolResult> {
  try {
    return toolResult(await run())
  } catch (error) {
    const { name, message } = serializeError(error)
    const reason = reasonOf(error)
    if (name === 'OutputError') throw error
    if (reason === reasons.refused || (reason === reasons.notFound && mounted)) throw error
    if (name === 'ToolError' || reason === reasons.invalidParams) return failed(message)
    if (!signal.aborted) report(error)
    return failed('The tool failed')
  }
}

function failed(message: string): ToolResult {
  return { content: [textBlock(message)], isError: true }
}

/** The result that is sent; it always has content. */
function toolResult(answer: ToolAnswer): ToolResult {
  if (typeof answer === 'string') return { content: [textBlock(answer)] }
  if (answer === undefined) return { content: [] }
  if (isBlock(answer)) return { content: [answer] }
  if (Array.isArray(answer) && answer.every(isBlock)) return { content: answer }
  if (isResult(answer)) return { ...answer, content: answer.content ?? [] }
  return { content: [textBlock(JSON.stringify(answer))] }
}

function isResult(answer: unknown): answer is ToolResult {
  if (typeof answer !== 'object' || answer === null) return false
  const { content, isError } = answer as ToolResult
  if (Array.isArray(content)) return content.every(isBlock)
  return content === undefined && ('structuredContent' in answer || isError === true)
}

/** Valid structured content, and the same as text for clients that use text. */
async function structured(answer: unknown, output: Checker): Promise<ToolResult> {
  const whole = isWhole(answer) ? answer : { structuredContent: answer }
  if (whole.isError) return whole
  const checked = await output.check(whole.structuredContent)
  if ('problems' in checked) {
    throw new OutputError(`the answer of the tool does not fit: ${explain(checked.problems)}`)
  }
  const structuredContent = jsonCopy(checked.value ?? null)
  const content = whole.content ?? [textBlock(JSON.stringify(structuredContent))]
  return { ...whole, content, structuredContent }
}

/** Where there is structured content, only what has it by name, or has failed, is a whole result. */
function isWhole(answer: unknown): answer is ToolResult {
  return isResult(answer) && ('structuredContent' in answer || answer.isError === true)
}

// Prompts: messages that users choose, filled with their arguments.

/** Describes a prompt that the web app registers. */
export interface PromptOptions extends Omit<PromptDescription, 'name'> {
  /** Removes the registration. */
  signal?: AbortSignal
  /** Completes arguments, by name. */
  complete?: Record<string, CompletionProvider>
}

/**
 * Fills a prompt. Errors that it throws are reported to the page, and the client gets an internal error
 * without details; of an `InvalidParamsError` it gets the message.
 */
export type PromptHandler = (
  args: Record<string, string>,
  request: CallRequest,
) => PromptAnswer | Promise<PromptAnswer>

/** The members of a description that clients see; no others cross to the engine. */
export function describedPrompt(description: PromptDescription): PromptDescription {
  const { name, title, arguments: all, icons, _meta } = description
  if (typeof name !== 'string' || name === '') throw new TypeError('a prompt needs a name')
  const text = description.description
  return { name, title, description: text, arguments: all, icons, _meta }
}

/** The result that is sent. */
export function promptResult(answer: PromptAnswer): PromptResult {
  if (typeof answer === 'string')
    return promptResult([{ role: 'user', content: textBlock(answer) }])
  const result = Array.isArray(answer) ? { messages: answer } : answer
  if (!Array.isArray(result?.messages)) {
    throw new TypeError('a prompt answers with a string, messages, or an object that has messages')
  }
  return result
}

/** The callee of a prompt that the web app registers. */
export function promptCallee(
  completions: PromptOptions['complete'] = {},
  handler: PromptHandler,
): RegisteredCallee {
  return { getPrompt: async (_, args, request) => handler(args, request), completions }
}

// Schemas of tools: their description for clients, and the validation of values, in the thread of the
// handlers. A Standard Schema validates by itself; for JSON Schema a library is loaded at first use
// (validate.ts).

/** A schema that was checked. */
export interface Checker {
  /** Of its own: what clients see. */
  readonly json: { [keyword: string]: Json }
  check(value: unknown): Promise<Checked>
}

/** The most values in arguments that are checked against JSON Schema; R-055. */
const maxValues = 10_000

/** How many problems a message names. */
const maxProblems = 8

/**
 * Checks a schema.
 *
 * @param side - `input` for arguments, `output` for structured content
 * @throws TypeError for a schema that cannot be described, or is of another dialect. References to
 *   other documents, which are never fetched, fail when a value is checked
 */
export function checker(
  what: string,
  schema: JsonSchema | StandardSchema,
  side: 'input' | 'output',
): Checker {
  const json = described(what, schema, side)
  if (side === 'input' && json.type !== 'object') {
    throw new TypeError(`${what} must have "type": "object"`)
  }
  const draft = draftOf(what, json.$schema)
  if (isStandard(schema)) return { json, check: (value) => standardCheck(schema, value) }
  const load = () => lazily('validate.js', import('./validate.ts'))
  void load()
  let validate: Promise<(value: unknown) => Checked> | undefined
  return {
    json,
    async check(value) {
      validate ??= load().then(({ validator }) =>
        validator(json, draft, side === 'input' ? maxValues : Number.POSITIVE_INFINITY),
      )
      validate.catch(() => {
        validate = undefined // it did not load: the next call tries again
      })
      return (await validate)(side === 'output' ? jsonCopy(value ?? null) : value)
    },
  }
}

/** The problems in one line: path and reason of each. */
export function explain(problems: readonly Problem[]): string {
  const all = problems.slice(0, maxProblems).map(({ path, message }) => {
    return path === '' ? message : `${path}: ${message}`
  })
  if (problems.length > maxProblems) all.push(`and ${problems.length - maxProblems} more`)
  return all.join('; ')
}

/** A path as a JSON Pointer. */
function pointer(keys: readonly PropertyKey[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** JSON Schema of a schema: a copy, for it goes to the engine and to a library that writes into it. */
function described(what: string, schema: JsonSchema | StandardSchema, side: 'input' | 'output') {
  let own: unknown = schema
  if (isStandard(schema)) {
    const { jsonSchema, vendor } = schema['~standard']
    if (jsonSchema === undefined) {
      throw new TypeError(
        `${what}: this version of ${vendor} has no Standard JSON Schema; pass JSON Schema instead`,
      )
    }
    own = jsonSchema[side]({ target: 'draft-2020-12' })
  }
  if (typeof own !== 'object' || own === null || Array.isArray(own)) {
    throw new TypeError(`${what} must be a JSON Schema, an object, or a Standard Schema`)
  }
  return jsonCopy(own) as { [keyword: string]: Json }
}

function draftOf(what: string, dialect: unknown): '2020-12' | '7' {
  if (dialect === undefined) return '2020-12' // MCP 2026-07-28, basic, JSON Schema
  switch (String(dialect).replace(/^https?:\/\/json-schema\.org\/(.*?)#?$/, '$1')) {
    case 'draft/2020-12/schema':
      return '2020-12'
    case 'draft-07/schema':
      return '7'
  }
  throw new TypeError(`${what}: $schema ${JSON.stringify(dialect)} is not supported; use 2020-12`)
}

async function standardCheck(schema: StandardSchema, value: unknown): Promise<Checked> {
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return { value: result.value }
  return {
    problems: result.issues.map(({ message, path = [] }) => ({
      message,
      path: pointer(path.map((part) => (typeof part === 'object' ? part.key : part))),
    })),
  }
}
