/** Reads of assistants by resource, since monitoring started, with a hint where a result may contain secrets. */

import { type Signal, signal } from '@preact/signals'
import type { GatewayMessage } from './gateway-message.ts'
import { parsed } from './http-headers.ts'
import { assistantOf } from './names.ts'
import { isSecretName, isSecretValue } from './secrets.ts'

/** Reads of one resource. */
export interface ResourceReads {
  uri: string
  reads: number
  /** Of all responses together. */
  bytes: number
  /** Names of the assistants that read it. */
  assistants: readonly string[]
  /** Possible secrets: names of members, or `''` for a value that looks like one. */
  secrets: readonly string[]
}

/** By URI, as the assistants write it, in order of the first read. */
export const reads: Signal<ReadonlyMap<string, ResourceReads>> = signal(new Map())

/** Reads without a response yet. Bounded, since a response may never come. */
const pending = new Map<string, string>()
const maxPending = 1_000

/** Counts a message if it belongs to a read. */
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
  const by = assistantOf(observed)
  const assistants = before?.assistants ?? []
  reads.value = new Map(reads.peek()).set(uri, {
    uri,
    reads: (before?.reads ?? 0) + 1,
    bytes: (before?.bytes ?? 0) + observed.size,
    assistants: assistants.includes(by) ? assistants : [...assistants, by],
    secrets: [...new Set([...(before?.secrets ?? []), ...secretsIn(message.result)])],
  })
}

/** The URI that a request reads, also through the tool for assistants without resources. */
function readUri(method: string | undefined, params: Record<string, unknown> = {}) {
  const tool = method === 'tools/call' && params.name === 'read_resource'
  const asked = tool ? (params.arguments as { uri?: unknown } | undefined)?.uri : params.uri
  return (tool || method === 'resources/read') && typeof asked === 'string' ? asked : undefined
}

/** Longer texts are not searched: the result is only a hint. */
const maxLength = 200_000 // UTF-16 code units

/** Possible secrets in a result: in its texts, and in JSON within these. */
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

/** Parses a text that is a JSON object or array. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined // not JSON
  }
}

/** Excludes names of the protocol, which say nothing about their value. */
const isMember = (name: string) =>
  name !== '' && !/^(text|uri|blob|name|nextCursor)$/.test(name) && !name.includes('/')
