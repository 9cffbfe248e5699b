/** Numbers that JavaScript and the Go program pass each other. */

/** Of {@link reasons} and {@link questions}, the only ones that every page needs. */
export const none = 0
export const internal = 1
export const access = 11

/** Reasons why JavaScript has no answer; the numbers are those of wasm/client_js.go. */
export const reasons = {
  none,
  internal,
  notFound: 2,
  badCursor: 3,
  timeout: 4,
  busy: 5,
  tooLarge: 6,
  unavailable: 7,
  refused: 8,
  invalidParams: 9,
  revoked: 10,
  notShared: 11,
} as const
export type Reason = (typeof reasons)[keyof typeof reasons]

/** `undefined` also for a value whose getter throws: anything may be thrown. */
function nameOf(error: unknown): unknown {
  try {
    return (error as { name?: unknown } | null | undefined)?.name
  } catch {
    return undefined
  }
}

/** The reason of an error. By name, since errors may come from another thread. */
export function reasonOf(error: unknown): Reason {
  switch (nameOf(error)) {
    case 'NotFoundError':
      return reasons.notFound
    case 'BadCursorError':
      return reasons.badCursor
    case 'TimeoutError':
      return reasons.timeout
    case 'TooLargeError': // contents.ts
      return reasons.tooLarge
    case 'DatabaseBusyError': // sources/idb-open.ts
      return reasons.unavailable
    case 'RefusedError': // answer-call.ts
      return reasons.refused
    case 'InvalidParamsError': // callee.ts
      return reasons.invalidParams
  }
  return reasons.internal
}

/**
 * The reason of an error of a source's `list` or `read`. Elsewhere the browser throws a `NotAllowedError` at code of the app,
 * such as for the clipboard, whose developer has to know.
 */
export function sourceReasonOf(error: unknown): Reason {
  return nameOf(error) === 'NotAllowedError' ? reasons.notShared : reasonOf(error)
}

/**
 * Results of exports, besides the handle of a Document from `take`. An export that returns 0 has blocked,
 * which corrupts Go's stack: the program must not be used any more.
 */
export const answers = { done: 1, idle: 2, broken: -1, wrong: -2, sent: -3, pending: -4 } as const

/** The operations of `callSource`; the numbers are those of wasm/source_js.go. */
export const questions = {
  list: 1,
  read: 2,
  templates: 3,
  has: 4,
  watching: 5,
  // From here on answered by callee.ts.
  getPrompt: 6,
  callTool: 7,
  complete: 8,
  prompts: 9,
  tools: 10,
  access,
  prepare: 12,
  reply: 13,
} as const

/** Messages that a handler can send before its answer. */
export const updateKinds = { progress: 1, log: 2, input: 3 } as const

/** The optional methods of a mounted source. */
export const abilities = { templates: 1, watch: 2, prompts: 4, tools: 8, complete: 16 } as const

/** Lists that can change; the numbers are what `changed` gets instead of a length. */
export const lists = { resources: -1, prompts: -2, tools: -3 } as const
