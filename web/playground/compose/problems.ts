/** Problems of a message, with positions in its text. */

import type { Sentence } from '../protocol/explain.ts'
import { endOf, isStructure, jsonTree, nodeAt } from '../protocol/json.ts'
import { messageProblems } from '../protocol/message.ts'
import { methodNamed, missingCapability } from '../protocol/methods.ts'
import { nearest } from '../protocol/nearest.ts'
import { requestAnswered, type ServerContext } from './schema-at.ts'

/** A problem and its position. */
export interface TextProblem {
  from: number
  to: number
  severity: 'error' | 'warning'
  sentence: Sentence
}

/** All problems of a text as a message of its revision, in order. */
export function textProblems(source: string, server: ServerContext): TextProblem[] {
  const { root, errorAt } = jsonTree(source)
  let message: unknown
  try {
    message = JSON.parse(source)
  } catch (error) {
    const at = Math.min(errorAt ?? 0, Math.max(0, source.length - 1))
    const params = { problem: String((error as Error).message) }
    return [
      {
        from: at,
        to: Math.min(source.length, at + 1),
        severity: 'error',
        sentence: { key: 'explain.hint.json', params },
      },
    ]
  }
  const found = messageProblems(message, server.revision, requestAnswered(message, server)).map(
    ({ at, sentence }): TextProblem => {
      // a missing member is marked at the key of its object, not over the whole object
      const value = nodeAt(root, at)
      const key = value?.parent?.type === 'property' ? value.parent.children?.[0] : undefined
      const mark = isStructure(value) ? key : value
      const from = (mark ?? value ?? root)?.offset ?? 0
      const to = mark ? endOf(mark) : from + 1
      return { from, to, severity: 'error', sentence }
    },
  )
  const { method } = (message ?? {}) as { method?: unknown }
  const named = typeof method === 'string' ? methodNamed(server.revision, method) : undefined
  const node = nodeAt(root, ['method'])
  const { capabilities } = server
  const mine = named !== undefined && named.from !== 'server'
  const capability = mine && capabilities ? missingCapability(named, capabilities) : ''
  if (node && capability) {
    const sentence: Sentence = { key: 'explain.cause.capability', params: { capability } }
    found.push({ from: node.offset, to: endOf(node), severity: 'warning', sentence })
  }
  const unlisted = unlistedName(message, server)
  const name = nodeAt(root, ['params', 'name'])
  if (name && unlisted) {
    found.push({ from: name.offset, to: endOf(name), severity: 'warning', sentence: unlisted })
  }
  return found.sort((a, b) => a.from - b.from)
}

/** Whether the lists of the server lack the tool or prompt of a request. A list that is empty may not be loaded. */
function unlistedName(message: unknown, { tools, prompts }: ServerContext): Sentence | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } }
  const listed = method === 'tools/call' ? tools : method === 'prompts/get' ? prompts : []
  const asked = params?.name
  if (typeof asked !== 'string' || asked === '' || listed.length === 0) return undefined
  const names = listed.map(({ name }) => name)
  if (names.includes(asked)) return undefined
  const near = nearest(asked, names)
  return near === undefined
    ? { key: 'explain.hint.unlisted', params: { asked } }
    : { key: 'explain.hint.unlistedNear', params: { asked, nearest: near } }
}
