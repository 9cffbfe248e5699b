/**
 * What assistants have actually seen, by resource, as far as it passed while the playground looked on;
 * with a hint where there seems to be something in it that should have been taken out.
 */

import { type Signal, signal } from '@preact/signals'
import type { GatewayMessage } from './gateway-message.ts'
import { parsed } from './http-headers.ts'
import { isSecretName, isSecretValue } from './secrets.ts'

/** What was seen of one resource. */
export interface ResourceReads {
  uri: string
  reads: number
  /** Of all answers together. */
  bytes: number
  /** Who read it. */
  assistants: readonly string[]
  /** What looks like a secret: names of members, or `''` for a value that does by itself. */
  secrets: readonly string[]
}

/** By URI, as the assistants write it; the first seen first. */
export const reads: Signal<ReadonlyMap<string, ResourceReads>> = signal(new Map())

/** Reads that have no answer yet. An assistant that asks and never hears must not cost memory for ever. */
const pending = new Map<string, string>()
const maxPending = 1_000

/** Takes a message into account. Not every message is about a read. */
export function countReads(observed: GatewayMessage): void {
  const message = parsed(observed.text)
  const key = [observed.door, observed.client, observed.who, JSON.stringify(message.id)].join('\n')
  if (observed.to === 'page') {
    const uri = readUri(message.method, message.params)
    if (uri === undefined) return
    const oldest = pending.keys().next().value
    if (pending.size >= maxPending && oldest !== undefined) pending.delete(oldest)
    pending.set(key, uri)
    return
  }
  const uri = pending.get(key)
  if (uri === undefined || message.method !== undefined) return
  pending.delete(key)
  if (message.result === undefined) return
  const before = reads.peek().get(uri)
  const by = observed.client || observed.who
  const assistants = before?.assistants ?? []
  reads.value = new Map(reads.peek()).set(uri, {
    uri,
    reads: (before?.reads ?? 0) + 1,
    bytes: (before?.bytes ?? 0) + observed.size,
    assistants: assistants.includes(by) ? assistants : [...assistants, by],
    secrets: [...new Set([...(before?.secrets ?? []), ...secretsIn(message.result)])],
  })
}

/** What a request reads: by itself, or by the tool for assistants that know tools alone. */
function readUri(method: string | undefined, params: Record<string, unknown> = {}) {
  const tool = method === 'tools/call' && params.name === 'read_resource'
  const asked = tool ? (params.arguments as { uri?: unknown } | undefined)?.uri : params.uri
  return (tool || method === 'resources/read') && typeof asked === 'string' ? asked : undefined
}

/** Texts longer than this are not looked into: it is a hint. */
const maxLength = 200_000 // UTF-16 code units

/** What looks like a secret in a result: in its texts, and in JSON within these. */
export function secretsIn(result: unknown): string[] {
  const found = new Set<string>()
  const visit = (value: unknown, name: string, depth: number) => {
    if (depth > 32) return
    if (typeof value === 'string') {
      if (value.length > maxLength || value === 'redacted') return
      const json = name === 'text' ? jsonIn(value) : undefined
      if (json !== undefined) visit(json, '', depth + 1)
      else if (isSecretValue(value)) found.add(isMember(name) ? name : '')
      else if (isMember(name) && isSecretName(name) && value !== '') found.add(name)
    } else if (Array.isArray(value)) {
      for (const one of value) visit(one, name, depth + 1)
    } else if (typeof value === 'object' && value !== null) {
      for (const [member, one] of Object.entries(value)) visit(one, member, depth + 1)
    }
  }
  visit(result, '', 0)
  return [...found]
}

/** The object or array that a text is, if it is one. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined // it only looked like JSON
  }
}

/** Names that are the protocol's own, and say nothing of what is in them. */
const isMember = (name: string) =>
  name !== '' && !/^(text|uri|blob|name|nextCursor)$/.test(name) && !name.includes('/')
