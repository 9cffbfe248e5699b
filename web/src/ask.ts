/**
 * Questions of a handler to its client. The handler waits; the engine answers the client's request meanwhile, and takes the
 * one that brings the answers for its continuation (wasm/engine/held.go).
 */

import type { Ask } from './callee.ts'
import { elicit, type FormSchema, fits, type InputRequest } from './input.ts'
import { jsonText } from './json-text.ts'
import { checker } from './schema.ts'
import { isStandard, type StandardSchema } from './standard.ts'
import { ToolError } from './tool.ts'
import { updateKinds } from './wasm-numbers.ts'

/** What the engine has got from the client. */
export interface Reply {
  readonly id: number
  readonly answers?: Record<string, unknown>
  /** Why there are none. */
  readonly error?: string
}

/** The client cannot be asked: it gets the engine's error. */
class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/** How often a question is asked whose answers do not fit. */
const maxRounds = 16

const waiting = new Map<number, (reply: Reply) => void>()
let lastId = 0

/** Passes a reply to the handler that waits for it. */
export function takeReply(reply: Reply): object {
  waiting.get(reply.id)?.(reply)
  return {}
}

/** The function by which one call asks. */
export function asker(signal: AbortSignal, sendUpdate: (what: number, text: string) => void): Ask {
  let last: Promise<unknown> = Promise.resolve()

  const exchange = (value: object) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      signal.throwIfAborted()
      const id = ++lastId
      const over = (act: () => void) => {
        waiting.delete(id)
        signal.removeEventListener('abort', ended)
        act()
      }
      const ended = () => over(() => reject(signal.reason))
      signal.addEventListener('abort', ended)
      waiting.set(id, ({ answers = {}, error }) =>
        over(() => (error === undefined ? resolve(answers) : reject(new RefusedError(error)))),
      )
      sendUpdate(updateKinds.input, jsonText({ id, value }))
    })

  /** Asks until each answer fits its request; `check` says more. */
  const askAll = async (
    requests: Record<string, InputRequest>,
    check: (answers: Record<string, unknown>) => unknown = (answers) => answers,
  ) => {
    const answers: Record<string, unknown> = {}
    for (let round = 0; round < maxRounds; round++) {
      const missing = Object.entries(requests).filter(([key, own]) => !fits(own, answers[key]))
      if (missing.length > 0) {
        const got = await exchange(Object.fromEntries(missing))
        for (const [key] of missing) answers[key] = got[key]
        continue
      }
      const value = await check(answers)
      if (value !== undefined) return value
      for (const key in answers) delete answers[key]
    }
    throw new ToolError('The answers of the user do not fit what was asked.')
  }

  const askForm = (message: string, schema: StandardSchema | FormSchema | undefined) => {
    const own = schema && isStandard(schema) ? checker('the question', schema, 'input') : undefined
    const form = (own?.json ??
      schema ?? { type: 'object', properties: {} }) as unknown as FormSchema
    const { type, properties, required } = form
    return askAll(
      { answer: elicit(message, { type, properties, ...(required && { required }) }) },
      async ({ answer }) => {
        const { action, content = {} } = answer as { action: string; content?: object }
        if (action !== 'accept') {
          throw new ToolError('The user declined. Do not try again unless they ask.')
        }
        const checked = own ? await own.check(content) : { value: content }
        return 'problems' in checked ? undefined : checked.value
      },
    )
  }

  const ask = (
    what: string | InputRequest | Record<string, InputRequest>,
    schema?: StandardSchema | FormSchema,
  ) => {
    const act = async () => {
      if (typeof what === 'string') return askForm(what, schema)
      if (typeof what.method !== 'string') return askAll(what as Record<string, InputRequest>)
      const { answer } = (await askAll({ answer: what as InputRequest })) as { answer: unknown }
      return answer
    }
    const answered = last.then(act)
    last = answered.catch(() => {})
    return answered
  }
  return ask as Ask
}
