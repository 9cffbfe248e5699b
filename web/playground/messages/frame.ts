/** Classifies a text as JSON-RPC. Nothing is repaired: errors are reported. */

import { isObject } from '../protocol/revisions.ts'

/** `batch`: removed from MCP in 2025-06-18. `broken`: not JSON, or JSON that is not a message. */
export type FrameKind =
  | 'request'
  | 'notification'
  | 'result'
  | 'error'
  | 'batch'
  | 'broken'
  | 'world'

/**
 * What a message says about the outcome besides success and error. Of results: `failed` is a tool error
 * (`isError`), `input` requests input from the client (`input_required`, 2026-07-28), `task` says that the request
 * goes on as a task.
 */
export type Outcome = '' | 'failed' | 'input' | 'task'

/** The members of a message that lists, filters and pairing use. Missing members are `''` and 0. */
export interface Frame {
  kind: FrameKind
  /** Unchanged. */
  method: string
  /** JSON text of the id, so that `1` and `"1"` differ. */
  id: string
  /** The target: a URI, the name of a prompt or tool, the id of a task, the request id of a cancellation. */
  target: string
  /** The code of an error. */
  code: number
  outcome: Outcome
  /** The id of the task whose state the message has; `''`: of none. */
  task: string
  /** Whether that state is final. */
  isTaskOver: boolean
  /** The revision that a request, or the result of `initialize`, declares. */
  revision: string
  /** The parser's error; `''` if there is none. */
  problem: string
}

/** A frame without members. */
export const empty: Frame = {
  kind: 'broken',
  method: '',
  id: '',
  target: '',
  code: 0,
  outcome: '',
  task: '',
  isTaskOver: false,
  revision: '',
  problem: '',
}

interface Loose {
  [name: string]: unknown
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** The name of a revision; servers may send anything. */
const dated = (value: unknown) => text(value).slice(0, 20)

/** A text as JSON, or why it is none. */
export function parsed(raw: string): { message?: unknown; problem?: string } {
  try {
    return { message: JSON.parse(raw) }
  } catch (error) {
    return { problem: String((error as Error).message) }
  }
}

/**
 * The frame of a message.
 *
 * @param text - of the message
 * @param parsed - the text as JSON; default: it is parsed now
 */
export function frameOf(text: string, { message, problem } = parsed(text)): Frame {
  if (problem !== undefined) return { ...empty, problem }
  if (Array.isArray(message)) return { ...empty, kind: 'batch' }
  if (!isObject(message)) return { ...empty, problem: 'not an object' }
  const id = message.id === undefined ? '' : JSON.stringify(message.id)
  if (typeof message.method === 'string') {
    const params = isObject(message.params) ? message.params : {}
    const meta = isObject(params._meta) ? params._meta : {}
    const states = message.method === 'notifications/tasks' || message.method === taskStatus
    return {
      ...empty,
      ...(states && taskOf(params)),
      kind: message.id === undefined ? 'notification' : 'request',
      method: message.method,
      id,
      target: targetOf(params),
      revision: dated(meta['io.modelcontextprotocol/protocolVersion'] ?? params.protocolVersion),
    }
  }
  if (message.error !== undefined) {
    const code = isObject(message.error) ? Number(message.error.code) || 0 : 0
    return { ...empty, kind: 'error', id, code }
  }
  const { result } = message
  if (result !== undefined) {
    const own = isObject(result) ? result : {}
    // In 2025-11-25, tools/call has the new task in a member.
    const task = taskOf(isObject(own.task) ? own.task : own)
    const revision = dated(own.protocolVersion)
    return { ...empty, ...task, kind: 'result', id, outcome: outcomeOf(own), revision }
  }
  return { ...empty, id, problem: 'neither method, result nor error' }
}

/** The notification of 2025-11-25. */
const taskStatus = 'notifications/tasks/status'

const finalStates: readonly unknown[] = ['completed', 'failed', 'cancelled']

const taskOf = ({ taskId, status }: Loose) => ({
  task: typeof status === 'string' ? text(taskId) : '',
  isTaskOver: finalStates.includes(status),
})

function outcomeOf(result: Loose): Outcome {
  if (result.resultType === 'task' || (isObject(result.task) && !('content' in result))) {
    return 'task'
  }
  const needsInput = result.resultType === 'input_required' || result.status === 'input_required'
  return needsInput ? 'input' : result.isError === true ? 'failed' : ''
}

function targetOf(params: Loose): string {
  const ref = isObject(params.ref) ? params.ref : {}
  return (
    text(params.uri) ||
    text(params.name) ||
    text(params.taskId) ||
    text(ref.uri) ||
    text(ref.name) ||
    (params.requestId === undefined ? '' : JSON.stringify(params.requestId)) ||
    text(params.level)
  )
}
