/** The task of a response, and what can be sent about it. SEP-2663. */

import { isObject } from '../protocol/revisions.ts'

export interface Task {
  id: string
  /** The envelope of the request whose result has the state: it declares the extension. */
  meta: unknown
}

const inside = (value: unknown, member: string): unknown =>
  isObject(value) ? value[member] : undefined

/** The task of a response of 2026-07-28, while it goes on. */
export function openTask(request: unknown, response: unknown): Task | undefined {
  const result = inside(response, 'result')
  const id = inside(result, 'taskId')
  const status = inside(result, 'status')
  if (typeof id !== 'string' || (status !== 'working' && status !== 'input_required')) {
    return undefined
  }
  return { id, meta: inside(inside(request, 'params'), '_meta') }
}

/** The messages, by what the user chooses. */
export const taskRequests = {
  get: ({ id, meta }: Task) => ({ method: 'tasks/get', params: { _meta: meta, taskId: id } }),
  follow: ({ id, meta }: Task) => ({
    method: 'subscriptions/listen',
    params: { _meta: meta, notifications: { taskIds: [id] } },
  }),
  cancel: ({ id, meta }: Task) => ({ method: 'tasks/cancel', params: { _meta: meta, taskId: id } }),
} as const
