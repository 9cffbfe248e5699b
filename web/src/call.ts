/**
 * Calls of prompts, tools and completions, where their handlers run: what a handler is told
 * ({@link CallRequest}), and what becomes of its answer. The engine asks with JSON text and gets JSON
 * text, from its own thread or from another one.
 */

import {
  type Callee,
  type CallRequest,
  type CompletionRef,
  type Extend,
  type LogLevel,
  logLevels,
} from './callee.ts'
import { bounded } from './complete.ts'
import { fits, NeedInputError } from './input.ts'
import { describedPrompt, promptResult } from './prompt.ts'
import type { Json } from './source.ts'
import { describedTool, runTool } from './tool.ts'
import { questions, type Reason, reasonOf, reasons, sayings } from './wasm.ts'

export type { Callee, Caller, CallRequest, CompletionRef, Extend, LogLevel } from './callee.ts'

/** Something is wrong with the arguments: the client gets -32602 with this message. */
export class InvalidParamsError extends Error {
  override readonly name = 'InvalidParamsError'
}

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
  question: HandlerCall,
  say: Say,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<HandlerOutcome> {
  try {
    const answer = await answerOf(callee ?? {}, mounted, what, question, say, signal, report)
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
  question: HandlerCall,
  say: Say,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<object | undefined> {
  const { name = '', prompt, uri = '', argument = '', value = '' } = question
  const args = question.arguments ?? {}
  switch (what) {
    case questions.prompts:
      return { prompts: ((await callee.prompts?.()) ?? []).map(describedPrompt) }
    case questions.tools:
      return { tools: ((await callee.tools?.()) ?? []).map((tool) => describedTool(tool).json) }
    case questions.getPrompt: {
      const answer = await callee.getPrompt?.(
        name,
        args,
        callRequest(question.request, say, signal),
      )
      return answer === undefined ? undefined : promptResult(answer)
    }
    case questions.callTool: {
      if (callee.callTool === undefined) return undefined
      const request = callRequest(question.request, say, signal)
      const run = async () => callee.callTool?.(name, args, request)
      return runTool(run, mounted, signal, report)
    }
    case questions.extend: {
      const { _meta, inputResponses, requestState, ...params } = args as Record<string, unknown>
      return callee.extend?.(name, params, callRequest(question.request, say, signal))
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
