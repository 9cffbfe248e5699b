/**
 * The task of a call, as its handler sees it. The engine keeps tasks; a handler sends what it wants of its own as
 * updates, and gets replies as questions of the engine.
 */

import type { CallRequest, CallTask, InputAnswers } from './callee.ts'
import { fits, type InputRequest } from './input.ts'
import { jsonText } from './json-text.ts'
import { ToolError } from './tool.ts'
import { updateKinds } from './wasm-numbers.ts'

/** The engine's reply to an update. */
export interface TaskReply {
  readonly id: number
  /** To a request for input. */
  readonly answers?: Record<string, unknown>
  /** Why there is none, in words for the model. */
  readonly error?: string
}

const waiting = new Map<number, (reply: TaskReply) => void>()
let lastUpdate = 0

/** Passes a reply to the handler that waits for it. */
export function takeReply(reply: TaskReply): object {
  waiting.get(reply.id)?.(reply)
  return {}
}

export function callTask(
  request: Omit<CallRequest, 'task'>,
  isTask: boolean,
  sendUpdate: (what: number, text: string) => void,
): CallTask {
  const { signal } = request
  let progress = 0

  /** Sends an update, and resolves with the reply; rejects when the task ends. */
  const exchange = async (kind: number, value: unknown): Promise<TaskReply> => {
    signal.throwIfAborted()
    const id = ++lastUpdate
    const over = () => ended(signal.reason)
    let ended: (reason: unknown) => void = () => {}
    try {
      const reply = await new Promise<TaskReply>((resolve, reject) => {
        ended = reject
        signal.addEventListener('abort', over)
        waiting.set(id, resolve)
        sendUpdate(kind, jsonText({ id, value }))
      })
      if (reply.error !== undefined) throw new ToolError(reply.error)
      return reply
    } finally {
      waiting.delete(id)
      signal.removeEventListener('abort', over)
    }
  }
  return {
    isTask,
    signal,
    message(text) {
      request.progress(++progress, undefined, text)
    },
    async input<R extends Record<string, InputRequest>>(requests: R) {
      if (!isTask) return request.need(requests)
      const answers: Record<string, unknown> = {}
      const isMissing = ([key, own]: [string, InputRequest]) => !fits(own, answers[key])
      for (;;) {
        const missing = Object.entries(requests).filter(isMissing)
        if (missing.length === 0) return answers as InputAnswers<R>
        const reply = await exchange(updateKinds.input, Object.fromEntries(missing))
        Object.assign(answers, reply.answers)
      }
    },
  }
}
