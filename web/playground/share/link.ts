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

/** Maximum number of messages in a link. */
export const maxMessages = 20

const prefix = '#v1.'

/** Whether a fragment is a link of the playground. */
export const isLink = (hash: string): boolean => hash.startsWith(prefix)

/** The JSON of a link, and of a file with messages. */
export const linkJson = ({ messages, target }: Link): string =>
  JSON.stringify({
    m: messages.map(({ text, title, revision }) => [text, revision, ...(title ? [title] : [])]),
    ...(target && { t: target }),
  })

/** The fragment, with `#`. It may exceed {@link maxLinkLength}. */
export const encodeLink = async (link: Link): Promise<string> =>
  prefix + (await pack(linkJson(link)))

/**
 * Decodes a fragment.
 *
 * @throws Error with the reason: not a link, damaged, or too large
 */
export async function decodeLink(hash: string): Promise<Link> {
  if (!isLink(hash)) throw new Error('the link is of another kind')
  try {
    return linkFrom(await unpack(hash.slice(prefix.length)), maxMessages)
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new Error('the link is damaged')
  }
}

/**
 * Reads {@link linkJson}.
 *
 * @throws Error if it is something else
 */
export function linkFrom(json: string, most: number): Link {
  const { m, t } = (JSON.parse(json) ?? {}) as { m?: unknown; t?: unknown }
  const wrong = () => new Error('these are no messages of the composer')
  if (!Array.isArray(m) || m.length === 0 || m.length > most) throw wrong()
  const messages = m.map((one: unknown): Linked => {
    const [text, revision, title] = Array.isArray(one) ? (one as unknown[]) : []
    if (typeof text !== 'string' || !isRevision(revision)) throw wrong()
    return { text, revision, ...(typeof title === 'string' && { title: title.slice(0, 100) }) }
  })
  return { messages, target: typeof t === 'string' ? t.slice(0, 200) : '' }
}

/** Compresses a text: base64url of deflate-raw. */
export async function pack(text: string): Promise<string> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return base64url(new Uint8Array(await new Response(packed).arrayBuffer()))
}

/**
 * The text of {@link pack}.
 *
 * @throws RangeError if it is larger than a link may be; another error if it is damaged
 */
export async function unpack(packed: string): Promise<string> {
  const bytes = fromBase64url(packed)
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
      throw new RangeError('the link contains too much')
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
