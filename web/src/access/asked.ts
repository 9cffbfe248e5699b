/** What a question is about. */

import type { AccessRequest } from '../access-types.ts'

export interface Asked
  extends Pick<AccessRequest, 'assistant' | 'callsItself' | 'right' | 'method' | 'tool'> {
  /** A URI, or the name of a prompt. */
  readonly what?: string
  /** What the tool asks. */
  readonly question?: string
  /** Whole, as JSON: a user must be able to read all that they allow. */
  readonly arguments?: string
}

/** The request with its texts cut and cleaned, except the names that decisions belong to. */
export function askedOf(request: AccessRequest): Asked {
  const { assistant, callsItself, right, method, uri, prompt, tool, question } = request
  const { arguments: given } = request
  const what = uri === 'access:///read' ? undefined : (uri ?? prompt) // that one stands for all
  return {
    assistant,
    right,
    method: clean(method),
    ...(callsItself && { callsItself: clean(callsItself) }),
    ...(what !== undefined && { what: clean(what) }),
    ...(tool && { tool: { ...tool, ...(tool.title && { title: clean(tool.title) }) } }),
    ...(question !== undefined && { question: clean(question, maxQuestion) }),
    ...(given !== undefined && right === 'act' && { arguments: shownJson(given) }),
  }
}

/** Whether a name is shown as it is: decisions belong to what the user has seen. */
export const isShowable = (name: string) => name !== '' && clean(name) === name

/** How many characters of a name, and of a question, are shown. */
const maxName = 128
const maxQuestion = 500

// Controls, and marks that change the direction of a text or are invisible; those of other lines, too.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu

/** A text that shows as it is: no controls, no invisible marks, none that change its direction. */
export function clean(text: string, max = maxName): string {
  const points = [...text.toWellFormed().replace(hidden, ' ').replace(/\s+/g, ' ').trim()]
  return points.length > max ? `${points.slice(0, max - 1).join('')}…` : points.join('')
}

/** JSON over several lines, without hidden characters. */
function shownJson(value: unknown): string {
  return (JSON.stringify(value, undefined, 2) ?? '')
    .toWellFormed()
    .replace(hidden, (mark) => (mark === '\n' ? mark : `\\u{${mark.codePointAt(0)?.toString(16)}}`))
}
