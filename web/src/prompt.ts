/**
 * Prompts: messages that people choose, filled with what they enter.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */

import { textBlock } from './blocks.ts'
import type {
  Callee,
  CallRequest,
  PromptAnswer,
  PromptDescription,
  PromptResult,
} from './callee.ts'
import { type CompletionProvider, completes } from './complete.ts'

export type {
  PromptAnswer,
  PromptArgument,
  PromptDescription,
  PromptMessage,
  PromptResult,
} from './callee.ts'

/** A prompt of the web app's own. */
export interface Prompt extends PromptDescription {
  /** What completes arguments, by name. */
  complete?: Record<string, CompletionProvider>
}

/**
 * Fills a prompt. What it throws is reported to the page, and the client only learns that it failed;
 * the message of an `InvalidParamsError` goes to the client.
 */
export type PromptHandler = (
  args: Record<string, string>,
  request: CallRequest,
) => PromptAnswer | Promise<PromptAnswer>

/** What clients may see of a description; nothing else crosses to the engine. */
export function describedPrompt(description: PromptDescription): PromptDescription {
  const { name, title, arguments: all, icons, _meta } = description
  if (typeof name !== 'string' || name === '') throw new TypeError('a prompt needs a name')
  const text = description.description
  return { name, title, description: text, arguments: all, icons, _meta }
}

/** What is sent. */
export function promptResult(answer: PromptAnswer): PromptResult {
  if (typeof answer === 'string')
    return promptResult([{ role: 'user', content: textBlock(answer) }])
  const result = Array.isArray(answer) ? { messages: answer } : answer
  if (!Array.isArray(result?.messages)) {
    throw new TypeError('a prompt answers with a string, messages, or an object that has messages')
  }
  return result
}

/** What fills a prompt of the web app's own. */
export function promptCallee(complete: Prompt['complete'], handler: PromptHandler): Callee {
  return { getPrompt: async (_, args, request) => handler(args, request), ...completes(complete) }
}
