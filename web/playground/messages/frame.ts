/** What a text on the wire is, as JSON-RPC sees it. Nothing is repaired: what is wrong is said. */

/** `batch` was JSON-RPC before MCP 2025-06-18 took it out; `broken` is no JSON, or JSON that is no message. */
export type FrameKind =
  | 'request'
  | 'notification'
  | 'result'
  | 'error'
  | 'batch'
  | 'broken'
  | 'world'

/** The parts of a message that lists, filters and pairing look at. Absent parts are `''` and 0. */
export interface Frame {
  kind: FrameKind
  /** As written. */
  method: string
  /** JSON text of the id, so that `1` and `"1"` differ. */
  id: string
  /** What it is about: a URI, the name of a prompt or tool, a request's id for a cancel. */
  target: string
  /** Of an error. */
  code: number
  /** What makes it broken, in the parser's words; else `''`. */
  problem: string
}

const empty: Frame = { kind: 'broken', method: '', id: '', target: '', code: 0, problem: '' }

interface Loose {
  [name: string]: unknown
}

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** Reads a frame. Costs one `JSON.parse`. */
export function frameOf(raw: string): Frame {
  let message: unknown
  try {
    message = JSON.parse(raw)
  } catch (error) {
    return { ...empty, problem: String((error as Error).message) }
  }
  if (Array.isArray(message)) return { ...empty, kind: 'batch' }
  if (!isObject(message)) return { ...empty, problem: 'not an object' }
  const id = message.id === undefined ? '' : JSON.stringify(message.id)
  if (typeof message.method === 'string') {
    return {
      kind: message.id === undefined ? 'notification' : 'request',
      method: message.method,
      id,
      target: targetOf(message.params),
      code: 0,
      problem: '',
    }
  }
  if (message.error !== undefined) {
    const code = isObject(message.error) ? Number(message.error.code) || 0 : 0
    return { ...empty, kind: 'error', id, code }
  }
  if (message.result !== undefined) return { ...empty, kind: 'result', id }
  return { ...empty, id, problem: 'neither method, result nor error' }
}

function targetOf(params: unknown): string {
  if (!isObject(params)) return ''
  const ref = isObject(params.ref) ? params.ref : {}
  return (
    text(params.uri) ||
    text(params.name) ||
    text(ref.uri) ||
    text(ref.name) ||
    (params.requestId === undefined ? '' : JSON.stringify(params.requestId)) ||
    text(params.level)
  )
}
