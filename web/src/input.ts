/**
 * Requests that a prompt or tool sends to the client while it runs: a form, a page to open, a message for
 * the model, the client's roots; and the validation of their answers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import { type ContentBlock, isBlock } from './blocks.ts'

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
