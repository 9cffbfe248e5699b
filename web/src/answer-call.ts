/**
 * Calls of prompts, tools and completions, in the thread of their handlers: makes the {@link CallRequest}
 * of a handler, and the result of its answer. The engine sends and receives JSON text, from its own thread
 * or from another one.
 *
 * A file of its own in the package, loaded by the first call.
 */

import { checkedArguments, exactArguments, parseExact } from './arguments.ts'
import { asker, type Reply, takeReply } from './ask.ts'
import {
  type CompletionRef,
  type LogLevel,
  logLevels,
  type OwnCallRequest,
  type RegisteredCallee,
} from './callee.ts'
import { bounded, completed } from './complete.ts'
import { jsonText } from './json-text.ts'
import { describedPrompt, promptResult } from './prompt.ts'
import type { Json } from './source.ts'
import { describedTool, runTool, ToolError } from './tool.ts'
import { questions, type Reason, reasonOf, reasons, updateKinds } from './wasm-numbers.ts'

/** The outcome of a call: JSON text, or a reason why there is none, for some reasons with details. */
export interface HandlerOutcome {
  reason: Reason
  text: string
}

/** Sends progress or a log message before the answer: a number of `updateKinds` in wasm.ts, and JSON text. */
export type SendUpdate = (what: number, text: string) => void

/** A call by the engine, as wasm/call_js.go writes it. */
export interface HandlerCall {
  /** The number of what was registered. */
  ref?: number
  name?: string
  prompt?: string
  uri?: string
  argument?: string
  value?: string
  arguments?: Record<string, unknown>
  /** All of this as JSON, if its arguments may have whole numbers that JavaScript rounds. */
  text?: string
  /** Of a completion: see CompletionContext. */
  client?: string
  request?: RequestContext
}
interface RequestContext {
  principal?: string
  capabilities?: Record<string, unknown>
  modern?: boolean
  meta?: Record<string, unknown>
  /** What the preparation of the tool has returned. */
  prepared?: Json
  /** The lowest level that the client wants; `''`: no messages. */
  logLevel?: LogLevel | ''
  /** The call is a task. */
  task?: boolean
}

/**
 * Answers a call by the engine.
 *
 * @param mounted - whether the callee is a source: then after `NotFoundError` the engine tries the next source
 * @param report - gets errors for the developer, which clients do not see
 */
export async function answerCall(
  callee: RegisteredCallee | undefined,
  mounted: boolean,
  what: number,
  question: HandlerCall,
  sendUpdate: SendUpdate,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<HandlerOutcome> {
  const request = () => callRequest(question.request, sendUpdate, signal)
  try {
    const answer = await answerOf(callee ?? {}, mounted, what, question, request, signal, report)
    return answer === undefined
      ? { reason: reasons.notFound, text: '' }
      : { reason: reasons.none, text: jsonText(answer) }
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === reasons.invalidParams) return { reason, text: (error as Error).message }
    if (reason === reasons.notFound ? mounted : reason !== reasons.internal) {
      return { reason, text: '' }
    }
    if (!signal.aborted) report(error)
    return { reason: reasons.internal, text: '' }
  }
}

/** The answer for the engine; `undefined`: the callee has no such prompt, tool or completion. */
async function answerOf(
  callee: RegisteredCallee,
  mounted: boolean,
  what: number,
  question: HandlerCall,
  request: () => OwnCallRequest,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<object | undefined> {
  const { name = '', prompt, uri = '', argument = '', value = '' } = question
  const exact = question.text === undefined ? question : (parseExact(question.text) as HandlerCall)
  const args = exact.arguments ?? {}
  switch (what) {
    case questions.prompts:
      return { prompts: ((await callee.prompts?.()) ?? []).map(describedPrompt) }
    case questions.tools:
      return { tools: ((await callee.tools?.()) ?? []).map((tool) => describedTool(tool).json) }
    case questions.getPrompt: {
      const answer = await callee.getPrompt?.(name, args as Record<string, string>, request())
      return answer === undefined ? undefined : promptResult(answer)
    }
    case questions.callTool: {
      if (callee.callTool === undefined) return undefined
      // Registered tools decide by their schema.
      const run = async () => callee.callTool?.(name, mounted ? unrounded(args) : args, request())
      return runTool(run, mounted, signal, report)
    }
    case questions.prepare: {
      let prepared: { value: unknown } | undefined
      const run = async () => {
        const own = { ...request(), prepares: true }
        prepared = { value: await callee.callTool?.(name, args, own) }
      }
      const result = await runTool(run, mounted, signal, report)
      return prepared ? { prepared: prepared.value } : { result }
    }
    case questions.reply:
      return takeReply(question as unknown as Reply)
  }
  const ref: CompletionRef =
    prompt === undefined ? { type: 'ref/resource', uri } : { type: 'ref/prompt', name: prompt }
  const context = { arguments: args as Record<string, never>, signal, client: question.client }
  const { completions } = mounted ? {} : callee // a source may have a property of that name
  const answer = completions
    ? await completed(completions, argument, value, context)
    : await callee.complete?.(ref, { name: argument, value }, context)
  return answer === undefined ? undefined : bounded(answer)
}

/** @throws ToolError if JavaScript would round a whole number */
function unrounded(args: Record<string, unknown>): Record<string, unknown> {
  const exact = exactArguments(args, undefined)
  if (typeof exact === 'string') throw new ToolError(`The arguments are not valid. ${exact}`)
  return exact
}

function callRequest(
  context: RequestContext = {},
  sendUpdate: SendUpdate,
  signal: AbortSignal,
): OwnCallRequest {
  const { principal = '', capabilities = {}, modern = false } = context
  const { meta = {}, prepared, task = false, logLevel } = context
  let steps = 0
  const least = logLevel ? logLevels.indexOf(logLevel) : logLevels.length
  return {
    signal,
    client: { principal, capabilities, modern },
    meta,
    isTask: task,
    prepared,
    progress(progress: number | string, total?: number, message?: string) {
      steps++
      const step =
        typeof progress === 'string' ? { progress: steps, message: progress } : { progress }
      const whole = Number.isFinite(total) ? total : undefined
      sendUpdate(updateKinds.progress, jsonText({ message, ...step, total: whole }))
    },
    log(level, data, logger) {
      if (logLevels.indexOf(level) >= least)
        sendUpdate(updateKinds.log, jsonText({ level, logger, data }))
    },
    ask: asker(signal, sendUpdate),
    check: checkedArguments,
  }
}
