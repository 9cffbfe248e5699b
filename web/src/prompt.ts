/**
 * Prompts: messages that people choose, filled with what they enter.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */

import { type ContentBlock, textBlock } from './blocks.ts'
import type { Callee, CallRequest } from './call.ts'
import { type CompletionProvider, completes } from './complete.ts'
import type { Icon, Json } from './source.ts'

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

/** A prompt of the web app's own. */
export interface Prompt extends PromptDescription {
  /** What completes arguments, by name. */
  complete?: Record<string, CompletionProvider>
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
