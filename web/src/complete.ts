/**
 * Completion: values for an argument of a prompt, or a variable of a template, that fit the typed text.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */

import type { Completion, CompletionContext, CompletionProvider } from './callee.ts'

export type { Completion, CompletionProvider } from './callee.ts'

/** The most values of one answer; MCP 2026-07-28, server/utilities/completion. */
const maxValues = 100

/** Completes an argument, or variable, of something that was registered. */
export function completed(
  providers: Record<string, CompletionProvider>,
  name: string,
  value: string,
  context: CompletionContext,
): readonly string[] | Completion | Promise<readonly string[] | Completion> {
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined
  if (typeof provider === 'function') return provider(value, context)
  return rankCompletions(provider ?? [], value)
}

/** An answer of at most 100 values, with `hasMore`. */
export function bounded(answer: readonly string[] | Completion): Completion {
  const whole: Completion = isList(answer) ? { values: answer, total: answer.length } : answer
  const values = whole.values.slice(0, maxValues).map(String)
  const left = whole.values.length > values.length
  const total = whole.total ?? (left ? whole.values.length : undefined)
  return { values, total, hasMore: left || (whole.hasMore ?? (total ?? 0) > values.length) }
}

function isList(answer: readonly string[] | Completion): answer is readonly string[] {
  return Array.isArray(answer)
}

/**
 * The values that fit the typed text, best first, ignoring case: those that begin with it, those that contain
 * it, those that have its letters in order. Equally good ones keep their order.
 */
export function rankCompletions(values: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase()
  const ranks: string[][] = [[], [], []]
  for (const value of values) {
    const own = value.toLowerCase()
    const at = own.indexOf(wanted)
    if (at >= 0) ranks[at === 0 ? 0 : 1]?.push(value)
    else if (hasInOrder(own, wanted)) ranks[2]?.push(value)
  }
  return ranks.flat()
}

function hasInOrder(text: string, letters: string): boolean {
  let at = 0
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}
