/**
 * Messages in a link: `#v1.` and base64url of deflate-raw of JSON. Browsers do not send the fragment to
 * servers; opening a link sends nothing.
 */

import { isRevision, type Revision } from '../protocol/revisions.ts'

/** One message of a link. */
export interface Linked {
  /** The composer's text without secrets. */
  text: string
  title?: string
  revision: Revision
}

export interface Link {
  messages: readonly Linked[]
  /** The name of the server that they were written for; `''`: the demo. Only shown, never used to connect. */
  target: string
}

/** Chat programs and old proxies truncate longer links; a file is offered instead. */
export const maxLinkLength = 8000 // characters of the fragment

/** Maximum uncompressed size: deflate can expand a thousandfold. */
const maxUncompressedSize = 1_000_000 // bytes

/** Maximum number of messages. */
const maxMessages = 20

const prefix = '#v1.'

/** Whether a fragment is a link of the playground. */
export const isLink = (hash: string): boolean => hash.startsWith(prefix)

/** The fragment, with `#`. It may exceed {@link maxLinkLength}. */
export async function encodeLink({ messages, target }: Link): Promise<string> {
  const json = JSON.stringify({
    m: messages.map(({ text, title, revision }) => [text, revision, ...(title ? [title] : [])]),
    ...(target && { t: target }),
  })
  const packed = new Blob([json]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer())
  return prefix + base64url(bytes)
}

/**
 * Decodes a fragment.
 *
 * @throws Error with the reason: not a link, damaged, or too large
 */
export async function decodeLink(hash: string): Promise<Link> {
  if (!isLink(hash)) throw new Error('the link is of another kind')
  const bytes = fromBase64url(hash.slice(prefix.length))
  let value: unknown
  try {
    value = JSON.parse(await inflate(bytes))
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new Error('the link is damaged')
  }
  const { m, t } = (value ?? {}) as { m?: unknown; t?: unknown }
  if (!Array.isArray(m) || m.length === 0 || m.length > maxMessages)
    throw new Error('the link is damaged')
  const messages = m.map((one: unknown): Linked => {
    const [text, revision, title] = Array.isArray(one) ? (one as unknown[]) : []
    if (typeof text !== 'string' || !isRevision(revision)) throw new Error('the link is damaged')
    return { text, revision, ...(typeof title === 'string' && { title: title.slice(0, 100) }) }
  })
  return { messages, target: typeof t === 'string' ? t.slice(0, 200) : '' }
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.length
    if (size > maxUncompressedSize) {
      await reader.cancel()
      throw new RangeError('the link unfolds to more than a message')
    }
    text += decoder.decode(value, { stream: true })
  }
}

function base64url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text)) throw new Error('the link is damaged')
  let binary: string
  try {
    binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    throw new Error('the link is damaged')
  }
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
}
