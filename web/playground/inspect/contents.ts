/** The contents of a message: of a read, a prompt or a tool's result. */

import { isObject } from '../protocol/revisions.ts'

/** One content. All of it is untrusted data of the server. */
export interface Part {
  kind: 'text' | 'json' | 'image' | 'svg' | 'binary' | 'link'
  /** As stated, or derived from the kind; `''` if unknown. */
  mimeType: string
  /** The URI of the content; `''` if none. */
  uri: string
  /** The role, in a prompt. */
  role?: string
  /** Of text; for a link its name. */
  text?: string
  /** Base64, unchanged. */
  blob?: string
}

interface Loose {
  [name: string]: unknown
}

const string = (value: unknown) => (typeof value === 'string' ? value : '')

/**
 * The contents of a message in order; none for messages such as lists.
 *
 * @param message - parsed JSON of any shape
 * @see MCP 2026-07-28, server/resources (Resource Contents), server/prompts, server/tools
 */
export function partsOf(message: unknown): Part[] {
  if (!isObject(message) || !isObject(message.result)) return []
  const { contents, messages, content } = message.result
  if (Array.isArray(contents)) return contents.filter(isObject).map(resource)
  if (Array.isArray(messages)) {
    return messages.filter(isObject).flatMap(({ role, content }) =>
      (Array.isArray(content) ? content : [content])
        .filter(isObject)
        .flatMap(block)
        .map((part) => ({ ...part, role: string(role) })),
    )
  }
  return Array.isArray(content) ? content.filter(isObject).flatMap(block) : []
}

function resource(item: Loose): Part {
  const mimeType = string(item.mimeType)
  const uri = string(item.uri)
  if (typeof item.text === 'string') {
    return { kind: textKind(mimeType), mimeType, uri, text: item.text }
  }
  return { kind: blobKind(mimeType), mimeType, uri, blob: string(item.blob) }
}

function block(content: Loose): Part[] {
  const mimeType = string(content.mimeType)
  switch (content.type) {
    case 'text':
      return [{ kind: 'text', mimeType: 'text/plain', uri: '', text: string(content.text) }]
    case 'image':
    case 'audio':
      return [{ kind: blobKind(mimeType), mimeType, uri: '', blob: string(content.data) }]
    case 'resource':
      return isObject(content.resource) ? [resource(content.resource)] : []
    case 'resource_link': {
      const uri = string(content.uri)
      return [{ kind: 'link', mimeType, uri, text: string(content.title) || string(content.name) }]
    }
    default:
      return []
  }
}

function textKind(mimeType: string): Part['kind'] {
  const type = essence(mimeType)
  if (type === 'image/svg+xml') return 'svg'
  return type === 'application/json' || type.endsWith('+json') ? 'json' : 'text'
}

/** Image types that all browsers show and that run no script. */
const images = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
])

function blobKind(mimeType: string): Part['kind'] {
  const type = essence(mimeType)
  if (type === 'image/svg+xml') return 'svg'
  return images.has(type) ? 'image' : 'binary'
}

/** The media type without its parameters. */
const essence = (mimeType: string) => (mimeType.split(';')[0] as string).trim().toLowerCase()

/** The bytes of a content; undefined if its base64 is invalid. */
export function bytesOf(part: Part): Uint8Array<ArrayBuffer> | undefined {
  if (part.blob === undefined) return new TextEncoder().encode(part.text ?? '')
  try {
    const binary = atob(part.blob)
    const bytes = new Uint8Array(binary.length)
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
    return bytes
  } catch {
    return undefined
  }
}

/**
 * How long and by whom a result may be cached; undefined if it does not say. MCP 2026-07-28,
 * server/utilities/caching.
 */
export function cachingOf(message: unknown): { ttlMs: number; scope: string } | undefined {
  if (!isObject(message) || !isObject(message.result)) return undefined
  const { ttlMs, cacheScope } = message.result
  if (typeof ttlMs !== 'number' || !(ttlMs >= 0)) return undefined
  return { ttlMs, scope: string(cacheScope) }
}
