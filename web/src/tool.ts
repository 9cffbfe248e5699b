/**
 * Tools: functions that models call. Their arguments are validated before they run. Answers become content,
 * and errors become results with `isError`, because models see results only.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

import { isBlock, textBlock } from './blocks.ts'
import type {
  CallRequest,
  OwnCallRequest,
  RegisteredCallee,
  ToolAnswer,
  ToolDescription,
  ToolResult,
  ToolSchema,
} from './callee.ts'
import { jsonCopy } from './json.ts'
import { serializeError } from './link.ts'
import { type Checker, checker, explain, type JsonSchema } from './schema.ts'
import type { InputOf, OutputOf, StandardSchema } from './standard.ts'
import { reasonOf, reasons } from './wasm-numbers.ts'

export type {
  ToolAnswer,
  ToolDescription,
  ToolResult,
  ToolSchema,
} from './callee.ts'

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

/** The callee of a tool that the web app registers. */
export function toolCallee(
  { input, output }: DescribedTool,
  handler: AnyHandler,
  { prepare, confirm }: { prepare?: AnyHandler; confirm?: (args: never) => string } = {},
): RegisteredCallee {
  return {
    ...(confirm && {
      async confirm(args) {
        const checked = input ? await input.check(args) : { value: args }
        return 'problems' in checked ? undefined : confirm(checked.value as never)
      },
    }),
    async callTool(_, args, request: OwnCallRequest) {
      const checked = await request.check(args, input)
      if ('problems' in checked) {
        throw new ToolError(`The arguments are not valid. ${explain(checked.problems)}`)
      }
      const value = checked.value as never
      const prepared = request.isTask ? request.prepared : await prepare?.(value, request)
      if (request.prepares) return prepared as ToolAnswer
      const answer = await handler(value, { ...request, prepared })
      return output ? structured(answer, output) : (answer as ToolAnswer)
    },
  }
}

/** Runs a tool and makes a result of its answer or error; `mounted` as in call.ts. */
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
