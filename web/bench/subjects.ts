/**
 * The subjects of the race: ours, the TypeScript SDKs, and null, which has every answer prepared. All
 * serve the data of data.ts.
 */

import { type PageMcp, start } from 'pagemcp'
import { type BenchPort, benchClient, type Client } from './client.ts'
import { type Entry, makeEntries, makeTemplateTexts, pageSize, templateOf } from './data.ts'
import type { FromWorker, ToWorker } from './sdk-worker.ts'
import { type SdkName, sdk } from './sdks.ts'
import { classicVersion, echo, info, pageStore, type Store } from './serving.ts'

export interface Subject {
  name: string
  /** Speaks 2026-07-28, which has no ping and no subscriptions to single resources. */
  isModern: boolean
  /** Opens a client, and does its handshake. */
  open(): Promise<Client>
  /** Announces a change. */
  touch(uri: string): void
}

/** Serves one end of a pair of ports. */
type Open = (port: BenchPort) => void

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': info,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** What a subject is made of. */
interface Parts {
  open: Open
  touch(uri: string): void
}

/**
 * Makes all subjects: the client is in the page, ours in its Worker.
 *
 * @param before - whether the site has another build of the package, which becomes a subject
 */
export async function makeSubjects(before: boolean): Promise<Subject[]> {
  const entries = makeEntries()
  const store = pageStore(entries)
  const inPage = (name: string, parts: Parts, isModern = false) => subject(name, parts, isModern)
  const ours = await startEngine(start, entries)
  const made = [
    inPage('ours', ours),
    ...(['ts1', 'ts2'] as const).map((name) => inPage(name, sdk(name, store))),
    inPage('null', echo(store)),
    inPage('ours-2026', ours, true),
  ]
  if (before) {
    const old = (await import(String(new URL('/before/index.js', location.href)))) as Package
    const parts = await startEngine(old.start, entries)
    made.push(inPage('before', parts), inPage('before-2026', parts, true))
  }
  const workers = (['ts1', 'ts2', 'null'] as const).map((name) => inWorker(name, store))
  made.push(...(await Promise.all(workers)))
  return made
}

interface Package {
  start: typeof start
}

function subject(name: string, { open: serve, touch }: Parts, isModern = false): Subject {
  const open = async () => {
    const { port1: near, port2: far } = new MessageChannel()
    const client = benchClient(near, isModern ? modern : undefined)
    serve(far)
    if (isModern) {
      await client.call('server/discover', {})
      return client
    }
    const params = { protocolVersion: classicVersion, capabilities: {}, clientInfo: info }
    const { protocolVersion } = await client.call('initialize', params)
    if (protocolVersion !== classicVersion) throw new Error(`${name} speaks ${protocolVersion}`)
    client.notify('notifications/initialized')
    return client
  }
  return { name, isModern, open, touch }
}

/** The package as users get it, with engine.wasm, policy and supervisor. */
async function startEngine(startThis: typeof start, entries: readonly Entry[]): Promise<Parts> {
  const mcp: PageMcp = await startThis({ ...info, pageSize })
  mcp.resources(
    entries.map(({ item, text, isPublished }) => [item, isPublished ? text : () => text] as const),
  )
  for (const [n, text] of makeTemplateTexts().entries()) {
    mcp.resources(templateOf(n), { name: `t${n}`, mimeType: 'text/plain', read: () => text })
  }
  return {
    open: (port) => void mcp.accept(port as unknown as MessagePort, { principal: 'page' }),
    touch: (uri) => mcp.changed(uri),
  }
}

/** A twin in a Worker, which asks this page for texts; `null` has them itself. */
async function inWorker(name: SdkName | 'null', store: Store): Promise<Subject> {
  const worker = new Worker('sdk-worker.js', { type: 'module', name })
  const send = (message: ToWorker, transfer: Transferable[] = []) =>
    worker.postMessage(message, transfer)
  await new Promise<void>((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(`the Worker of ${name}: ${message}`))
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if ('ready' in data) return resolve()
      const { ask, uri, template } = data
      const text = template === undefined ? store.read(uri) : store.readTemplate(template, uri)
      send({ answer: ask, text: text as string | undefined })
    }
    send({ start: name })
  })
  const open: Open = (port) => {
    const own = port as unknown as MessagePort
    send({ open: own }, [own])
  }
  return subject(`${name}-worker`, { open, touch: (uri) => send({ touch: uri }) })
}
