/**
 * What a message says in a conversation: who speaks, in a sentence, and what of the message is quoted. All quotes are
 * data of client and server, and bounded.
 */

import type { Key } from '../base/i18n.ts'
import type { Store } from '../messages/store.ts'
import { aboutMethod, type Sentence } from '../protocol/explain.ts'
import { methodNamed } from '../protocol/methods.ts'
import type { Revision } from '../protocol/revisions.ts'
import { targetText } from '../timeline/format.ts'
import { statusOf } from '../timeline/status.ts'

export interface Turn {
  row: number
  from: 'client' | 'server'
  says?: Sentence
  /** In lines. */
  quote: string
  failed: boolean
}

/** Limits of a quote. */
const maxLength = 300 // UTF-16 code units
const maxItems = 6 // of a list, an object or several contents
const maxDepth = 4 // of contents in contents
const maxNested = 3 // objects in arguments

interface Loose {
  [name: string]: unknown
}

/** The members of an object; none of anything else, which peers may send. */
const membersOf = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}

const cut = (text: string, most = maxLength): string =>
  text.length > most ? `${text.slice(0, most)}…` : text

const lines = (all: readonly string[]): string => all.filter(Boolean).join('\n')

/** The first lines, and how many there are. */
const firstLines = (all: readonly string[]): string =>
  lines(all.slice(0, maxItems)) + (all.length > maxItems ? `\n… (${all.length})` : '')

/** A value in words: members by name, deeper ones not at all. */
function short(value: unknown, depth = maxNested): string {
  if (typeof value !== 'object' || value === null) return cut(String(value), 120)
  if (depth === 0) return '…'
  const isArray = Array.isArray(value)
  const all = Object.entries(value).slice(0, maxItems)
  return all
    .map(([name, one]) => (isArray ? '' : `${cut(name, 60)}: `) + short(one, depth - 1))
    .join(depth === maxNested ? '\n' : ', ')
}

/** The text of a content or a message, the name of an item of a list, else what it is: a type or a URI. */
function textOf(item: unknown, depth = maxDepth): string {
  if (depth < 0) return ''
  if (Array.isArray(item)) return firstLines(item.map((one) => textOf(one, depth - 1)))
  const { text, content, resource, title, name, mimeType, uri, type } = membersOf(item)
  const inner = content ?? resource
  if (inner) return textOf(inner, depth - 1)
  return cut(String(text ?? title ?? name ?? mimeType ?? uri ?? type ?? ''))
}

/** A question of a server to the user or to a model: what it says, and the fields of its form. */
function questionText({ message, url, systemPrompt, messages, requestedSchema }: Loose): string {
  const fields = Object.keys(membersOf(membersOf(requestedSchema).properties))
  const all = [message, url, systemPrompt].filter((one) => typeof one === 'string')
  return lines([...all.map((one) => cut(one)), textOf(messages), fields.slice(0, 20).join(', ')])
}

const valuesOf = (value: unknown): Loose[] => Object.values(membersOf(value)).map(membersOf)

function resultText(result: Loose): string {
  const { action, content, inputRequests, status, statusMessage } = result
  // The response to an elicitation has its content by name.
  if (action) return lines([cut(String(action)), short(content ?? '')])
  if (inputRequests)
    return lines(valuesOf(inputRequests).map(({ params }) => questionText(membersOf(params))))
  const list = Object.values(result).find(Array.isArray) ?? content
  return list ? textOf(list) : lines([status, statusMessage].map((one) => String(one ?? '')))
}

const requestText = (params: Loose): string =>
  lines([
    short(params.arguments ?? ''),
    questionText(params),
    firstLines(
      [membersOf(params.notifications).resourceSubscriptions]
        .flat()
        .map((uri) => String(uri ?? '')),
    ),
    ...valuesOf(params.inputResponses).map(resultText),
  ])

/** Methods with a sentence that names their target. */
const named: { readonly [method: string]: Key } = {
  'resources/read': 'lessons.says.read',
  'tools/call': 'lessons.says.call',
}

/** @returns undefined: an event, or a message that says nothing to an audience */
export function turnOf(store: Store, row: number, revision: Revision): Turn | undefined {
  const kind = store.kind(row)
  const method = store.method(row)
  if (kind === 'world' || /^(ping|notifications\/initialized)$/.test(method)) return undefined
  const status = statusOf(store, row)
  const message = membersOf(store.message(row))
  const target = targetText(store, row)
  const key = target && named[method]
  let says: Sentence | undefined
  let quote: string
  if (kind === 'request' || kind === 'notification') {
    says = key
      ? { key, params: { target: cut(target, 120) } }
      : aboutMethod(cut(method, 60), revision, methodNamed(revision, method))
    quote = lines([key ? '' : target, requestText(membersOf(message.params))])
  } else if (kind === 'result') {
    quote = resultText(membersOf(message.result))
    if (status !== 'ok' || !quote) says = { key: `timeline.${status}` as Key }
  } else {
    says = {
      key: `timeline.${status || 'broken'}` as Key,
      params: { code: String(store.code(row)) },
    }
    quote = kind === 'error' ? String(membersOf(message.error).message ?? '') : store.raw(row)
  }
  return {
    row,
    from: store.direction(row) === 'out' ? 'client' : 'server',
    says,
    quote: cut(quote),
    failed: kind !== 'request' && /^(error|failed|broken)$/.test(status),
  }
}
