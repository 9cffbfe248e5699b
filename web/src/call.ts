/**
 * Calls of prompts, tools and completions, where their handlers run: what a handler is told
 * ({@link CallRequest}), and what becomes of its answer. The engine asks with JSON text and gets JSON
 * text, from its own thread or from another one.
 */

import { bounded, type Completion, type CompletionContext } from './complete.ts'
import { fits, type InputRequest, NeedInputError } from './input.ts'
import {
  describedPrompt,
  type PromptAnswer,
  type PromptDescription,
  promptResult,
} from './prompt.ts'
import type { Json } from './source.ts'
import { describedTool, runTool, type ToolAnswer, type ToolDescription } from './tool.ts'
import { questions, type Reason, reasonOf, reasons, sayings } from './wasm.ts'

/** How serious a log message is; RFC 5424, least first. */
export type LogLevel = (typeof logLevels)[number]
const logLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const

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

/** Something is wrong with the arguments: the client gets -32602 with this message. */
export class InvalidParamsError extends Error {
  override readonly name = 'InvalidParamsError'
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

/** What the engine is told: JSON text, or why there is none and, of some reasons, what it needs. */
export interface HandlerOutcome {
  reason: Reason
  text: string
}

/** Says something before the answer: a number of wasm.ts's `sayings`, and JSON text. */
export type Say = (what: number, text: string) => void

/** What the engine asks, as wasm/call_js.go writes it. */
export interface HandlerCall {
  /** The number of what was registered. */
  ref?: number
  name?: string
  prompt?: string
  uri?: string
  argument?: string
  value?: string
  arguments?: Record<string, never>
  request?: RequestContext
}
interface RequestContext {
  principal?: string
  capabilities?: Record<string, unknown>
  modern?: boolean
  meta?: Record<string, unknown>
  inputs?: Record<string, unknown>
  state?: Json
  /** The least that the client wants; `''`: nothing. */
  logLevel?: LogLevel | ''
}

/**
 * Answers what the engine asks.
 *
 * @param mounted - whether the callee is a source: then `NotFoundError` passes the question on
 * @param report - gets what is the developer's business and not the client's
 */
export async function answerCall(
  callee: (Callee & { extend?: Extend }) | undefined,
  mounted: boolean,
  what: number,
  asked: HandlerCall,
  say: Say,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<HandlerOutcome> {
  try {
    const answer = await answerOf(callee ?? {}, mounted, what, asked, say, signal, report)
    return answer === undefined
      ? { reason: reasons.notFound, text: '' }
      : { reason: reasons.none, text: jsonText(answer) }
  } catch (error) {
    const reason = reasonOf(error)
    if (error instanceof NeedInputError) {
      const { requests, state } = error
      const asks = Object.keys(requests).length > 0 ? requests : undefined
      return { reason, text: jsonText({ requests: asks, state }) }
    }
    if (reason === reasons.invalidParams) return { reason, text: (error as Error).message }
    if (reason === reasons.notFound ? mounted : reason !== reasons.internal) {
      return { reason, text: '' }
    }
    if (!signal.aborted) report(error)
    return { reason: reasons.internal, text: '' }
  }
}

/** What `told` brings; `undefined`: there is no such thing here. */
async function answerOf(
  callee: Callee & { extend?: Extend },
  mounted: boolean,
  what: number,
  asked: HandlerCall,
  say: Say,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<object | undefined> {
  const { name = '', prompt, uri = '', argument = '', value = '' } = asked
  const args = asked.arguments ?? {}
  switch (what) {
    case questions.prompts:
      return { prompts: ((await callee.prompts?.()) ?? []).map(describedPrompt) }
    case questions.tools:
      return { tools: ((await callee.tools?.()) ?? []).map((tool) => describedTool(tool).json) }
    case questions.getPrompt: {
      const answer = await callee.getPrompt?.(name, args, callRequest(asked.request, say, signal))
      return answer === undefined ? undefined : promptResult(answer)
    }
    case questions.callTool: {
      if (callee.callTool === undefined) return undefined
      const request = callRequest(asked.request, say, signal)
      const run = async () => callee.callTool?.(name, args, request)
      return runTool(run, mounted, signal, report)
    }
    case questions.extend: {
      const { _meta, inputResponses, requestState, ...params } = args as Record<string, unknown>
      return callee.extend?.(name, params, callRequest(asked.request, say, signal))
    }
  }
  const ref: CompletionRef =
    prompt === undefined ? { type: 'ref/resource', uri } : { type: 'ref/prompt', name: prompt }
  const context = { arguments: args, signal }
  const answer = await callee.complete?.(ref, { name: argument, value }, context)
  return answer === undefined ? undefined : bounded(answer)
}

function callRequest(facts: RequestContext = {}, say: Say, signal: AbortSignal): CallRequest {
  const { principal = '', capabilities = {}, modern = false } = facts
  const { meta = {}, inputs = {}, state, logLevel } = facts
  const least = logLevel ? logLevels.indexOf(logLevel) : logLevels.length
  return {
    signal,
    client: { principal, capabilities, modern },
    meta,
    inputs,
    state,
    progress(progress, total, message) {
      const whole = Number.isFinite(total) ? total : undefined
      say(sayings.progress, jsonText({ progress, total: whole, message }))
    },
    log(level, data, logger) {
      if (logLevels.indexOf(level) >= least) say(sayings.log, jsonText({ level, logger, data }))
    },
    need(requests, given = state) {
      const missing = Object.entries(requests).filter(
        ([key, request]) => !Object.hasOwn(inputs, key) || !fits(request, inputs[key]),
      )
      const again = Object.keys(requests).length === 0 && state === undefined && given !== undefined
      if (missing.length > 0 || again) throw new NeedInputError(Object.fromEntries(missing), given)
      return Object.fromEntries(Object.keys(requests).map((key) => [key, inputs[key]])) as never
    },
  }
}

/** JSON text in which lone surrogates, which UTF-8 cannot carry, are U+FFFD. */
function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  if (!text.includes('\\ud')) return text
  return text.replace(/\\(?:(ud[0-9a-f]{3})|.)/g, (part, lone) => (lone ? '\\ufffd' : part))
}
