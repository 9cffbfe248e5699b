/** Calls of prompts, tools and completions, in the thread of their handlers. answer-call.ts has the code. */

import type { answerCall as answer, HandlerOutcome } from './answer-call.ts'
import { lazily } from './module.ts'
import { internal } from './wasm-numbers.ts'

export type { HandlerCall, HandlerOutcome, SendUpdate } from './answer-call.ts'
export type {
  Callee,
  CallRequest,
  LogLevel,
  RegisteredCallee,
} from './callee.ts'

/** The arguments are invalid: the client gets -32602 with this message. */
export class InvalidParamsError extends Error {
  override readonly name = 'InvalidParamsError'
}

const load = () => lazily('answer-call.js', import('./answer-call.ts'))

/** Something was registered that will be called. */
export const prepareCalls = () => void load()

/** Answers a call by the engine. */
export async function answerCall(...call: Parameters<typeof answer>): Promise<HandlerOutcome> {
  const report = call[6]
  try {
    const { answerCall: answer } = await load()
    return await answer(...call)
  } catch (error) {
    report(error)
    return { reason: internal, text: '' }
  }
}
