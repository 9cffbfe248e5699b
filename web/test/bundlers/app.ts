/**
 * The app that every way of bundling and hosting must be able to run: it uses the package as an app does, by
 * its name, and calls each part that loads a file of its own. drive.ts says what has to come out.
 *
 * Bundlers get it as JavaScript ({@link appSource} of drive.ts). A page calls {@link startMcp}, in a framework
 * from an effect.
 */

import { idb, type PageMcp, page, type StartOptions, start } from 'pagemcp'

/** What the app has seen: answers to clients of its engines. */
export interface Answers {
  /** Through the Worker. */
  record: string
  /** The record, read after the notification that it has changed. */
  changed: string
  /** Of a tool with a JSON Schema. */
  tool: string
  /** Of the same tool, with arguments that do not fit. */
  refused: string
  completed: string
  /** Schemes of the URLs of all Workers that were started. */
  workers: string[]
}

/** What {@link startMcp} leaves for the driver. */
interface Outcome {
  pagemcpAnswers?: Answers
  pagemcpFailure?: string
}

let running = false

/** What the engines have reported. */
const errors: string[] = []

/** Runs once, even if a framework calls an effect twice. */
export function startMcp(urls?: StartOptions['urls']): void {
  if (running) return
  running = true
  answersOf(urls).then((answers) => {
    ;(globalThis as Outcome).pagemcpAnswers = answers
  }, fail)
}

/** Ends the run: the driver reports the error. */
export function fail(error: Error): void {
  const text = [error.message, error.cause ?? '', error.stack, ...errors].join('\n')
  ;(globalThis as Outcome).pagemcpFailure = text
}

async function answersOf(urls: StartOptions['urls']): Promise<Answers> {
  await writeRecord('in a record')
  const article = document.body.appendChild(document.createElement('article'))
  article.appendChild(document.createElement('h1')).textContent = 'On the page'
  const workers = noteWorkers()

  const mcp = start({ name: 'app', ...(urls && { urls }) })
  mcp.on('error', (error) => errors.push(error instanceof Error ? `${error.stack}` : String(error)))
  await mcp.ready
  mcp.mount(idb({ databases: { app: ['notes'] } }))
  mcp.mount(page({ select: ['article'] }))
  const inputSchema = {
    type: 'object',
    properties: { times: { type: 'integer', maximum: 3 } },
    required: ['times'],
  }
  mcp.tool('repeat', { inputSchema }, (args) => 'ha'.repeat((args as { times: number }).times))

  const client = clientOf(mcp)
  const answers: Answers = {
    record: await client.text('idb:///app/notes/n.1'),
    changed: await afterChange(client),
    tool: await client.call(2),
    refused: await client.call(4),
    completed: await client.complete(),
    workers: [...workers],
  }
  if (errors.length > 0) throw new Error(`errors of the engine: ${errors.join('; ')}`)
  mcp.close()
  return answers
}

async function writeRecord(value: string): Promise<void> {
  const opening = indexedDB.open('app', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('notes')
  await new Promise((resolve, reject) => {
    opening.onsuccess = resolve
    opening.onerror = reject
  })
  const writing = opening.result.transaction('notes', 'readwrite')
  writing.objectStore('notes').put(value, 1)
  await new Promise((resolve, reject) => {
    writing.oncomplete = resolve
    writing.onabort = reject
  })
  opening.result.close()
}

/** Schemes of the URLs of Workers that the page starts from now on. */
function noteWorkers(): string[] {
  const schemes: string[] = []
  const Original = globalThis.Worker
  globalThis.Worker = class extends Original {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options)
      schemes.push(new URL(String(url), location.href).protocol)
    }
  }
  return schemes
}

export interface Client {
  text(uri: string): Promise<string>
  /** Calls the tool. */
  call(times: number): Promise<string>
  /** Completes a name of a store. */
  complete(): Promise<string>
  /** Resolves when a subscription to a resource is acknowledged; `updated` is its first notification. */
  subscribe(uri: string): Promise<{ updated: Promise<void> }>
}

interface Reply {
  id?: number
  method?: string
  error?: { message: string }
  result?: {
    contents?: { text: string }[]
    content?: { text: string }[]
    completion?: { values: string[] }
  }
}

/** A client of MCP 2026-07-28 on a port of the engine. */
export function clientOf(mcp: PageMcp): Client {
  const port = mcp.port()
  const waiting = new Map<number | string, (reply: Reply) => void>()
  let last = 0
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  port.onmessage = ({ data }: { data: Reply }) => waiting.get(data.id ?? data.method ?? '')?.(data)
  const reply = (to: number | string) =>
    new Promise<Reply>((resolve) => {
      waiting.set(to, resolve)
    })
  const send = (method: string, params: object) => {
    port.postMessage({ jsonrpc: '2.0', id: ++last, method, params: { ...params, _meta } })
    return last
  }
  const request = async (method: string, params: object) => {
    const { error, result } = await reply(send(method, params))
    if (error) throw new Error(`${method} ${JSON.stringify(params)}: ${error.message}`)
    return result ?? {}
  }
  return {
    text: async (uri) => (await request('resources/read', { uri })).contents?.[0]?.text ?? '',
    async call(times) {
      const params = { name: 'repeat', arguments: { times } }
      return (await request('tools/call', params)).content?.[0]?.text ?? ''
    },
    async complete() {
      const ref = { type: 'ref/resource', uri: 'idb:///{database}/{store}' }
      const params = { ref, argument: { name: 'store', value: 'n' } }
      return (await request('completion/complete', params)).completion?.values.join() ?? ''
    },
    async subscribe(uri) {
      const acknowledged = reply('notifications/subscriptions/acknowledged')
      const updated = reply('notifications/resources/updated').then(() => {})
      send('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })
      await acknowledged
      return { updated }
    },
  }
}

async function afterChange(client: Client): Promise<string> {
  const uri = 'idb:///app/notes/n.1'
  const { updated } = await client.subscribe(uri)
  await writeRecord('changed')
  await updated
  return client.text(uri)
}
