/**
 * Prompts: messages that users choose, filled with their arguments.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */

import { textBlock } from './blocks.ts'
import type {
  CallRequest,
  CompletionProvider,
  PromptAnswer,
  PromptDescription,
  PromptResult,
  RegisteredCallee,
} from './callee.ts'

export type { PromptDescription, PromptMessage, PromptResult } from './callee.ts'

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
