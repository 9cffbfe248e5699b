/** A session of one of the older revisions over HTTP, message by message: nothing of a library stands between. */

import { timeout } from './guide.ts'

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they find
  result?: any
  error?: { code: number; message: string; data?: unknown }
}

export interface Session {
  /** What `initialize` was answered with. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they find
  greeting: any
  ask(id: number, method: string, params?: object): Promise<Answer>
  /** Waits for a notification that came since the last call of this, or comes. */
  hear(method: string): Promise<{ method: string; params?: { uri?: string } }>
  /** Those that came, and were not waited for. */
  unheard(): { method: string; params?: { uri?: string } }[]
  close(): Promise<void>
}

/** Opens one: initialize, initialized, and a GET for what the server says by itself. */
export async function openSession(url: string, revision: string): Promise<Session> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const post = (message: object) =>
    fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: AbortSignal.timeout(timeout),
    })
  const ask = async (id: number, method: string, params?: object): Promise<Answer> => {
    const response = await post({ id, method, ...(params && { params }) })
    const answer = (await response.json()) as Answer & { id: number }
    if (answer.id !== id) throw new Error(`${method}: ${JSON.stringify(answer)}`)
    return answer
  }
  const clientInfo = { name: 'documents', version: '1.0.0' }
  const opened = await post({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: revision, capabilities: {}, clientInfo },
  })
  const greeting = ((await opened.json()) as Answer).result
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? ''
  if (revision >= '2025-06-18') headers['mcp-protocol-version'] = revision
  await (await post({ method: 'notifications/initialized' })).text()
  const ending = new AbortController()
  const stream = await fetch(url, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: ending.signal,
  })
  const news = listenTo(stream)
  return {
    greeting,
    ask,
    hear: news.hear,
    unheard: () => news.waiting,
    async close() {
      ending.abort()
      const signal = AbortSignal.timeout(timeout)
      await (await fetch(url, { method: 'DELETE', headers, signal })).text()
    },
  }
}

type Notification = { method: string; params?: { uri?: string } }

function listenTo(stream: Response) {
  const waiting: Notification[] = []
  let wake = () => {}
  const run = async () => {
    let text = ''
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: ?(.+)$/m.exec(text.slice(0, end))?.[1]
        text = text.slice(end + 2)
        if (data === undefined) continue
        waiting.push(JSON.parse(data))
        wake()
      }
    }
  }
  run().catch(() => {}) // aborted by close
  const hear = async (method: string): Promise<Notification> => {
    const late = AbortSignal.timeout(timeout)
    for (;;) {
      const at = waiting.findIndex((one) => one.method === method)
      const [found] = at < 0 ? [] : waiting.splice(at, 1)
      if (found !== undefined) return found
      await new Promise<void>((resolve, reject) => {
        wake = resolve
        late.addEventListener('abort', () => reject(new Error(`no ${method} came`)))
      })
    }
  }
  return { hear, waiting }
}
