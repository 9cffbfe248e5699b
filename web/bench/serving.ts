/** How the twins of ours read the data, in the page or in a Worker, and prepared answers of null. */

import type { BenchPort, Message, Result } from './client.ts'
import {
  type Entry,
  type Item,
  idCount,
  makeTemplateTexts,
  pageSize,
  templateCount,
  templateUri,
} from './data.ts'

export type Text = string | undefined | Promise<string | undefined>

/** The data of one subject. `undefined`: there is no such resource. */
export interface Store {
  items: readonly Item[]
  /** The text of a listed resource. */
  read(uri: string): Text
  /** The text of a resource of the template with this number. */
  readTemplate(n: number, uri: string): Text
}

export function pageStore(entries: readonly Entry[]): Store {
  const texts = new Map(entries.map(({ item, text }) => [item.uri, text]))
  const templateTexts = makeTemplateTexts()
  return {
    items: entries.map(({ item }) => item),
    read: (uri) => texts.get(uri),
    readTemplate: (n) => templateTexts[n],
  }
}

export function pageOf(items: readonly Item[], cursor: string | undefined) {
  const at = Number(cursor ?? 0)
  const next = at + pageSize
  const resources = items.slice(at, next)
  return next < items.length ? { resources, nextCursor: String(next) } : { resources }
}

export function contentsOf(uri: string, text: string) {
  return { contents: [{ uri, mimeType: 'text/plain', text }] }
}

export const info = { name: 'bench', version: '1.0.0' }
export const classicVersion = '2025-11-25'
export const capabilities = { resources: { subscribe: true, listChanged: true } }

/** Opens ports to prepared results: a message only gets its id. */
export function echo(store: Store): {
  open(port: BenchPort): void
  touch(uri: string): void
} {
  const pages = new Map<string | undefined, Result>()
  for (let at = 0; at < store.items.length; at += pageSize) {
    const cursor = at === 0 ? undefined : String(at)
    pages.set(cursor, pageOf(store.items, cursor))
  }
  const reads = new Map<string, Result>()
  const put = (uri: string, text: Text) => {
    if (typeof text === 'string') reads.set(uri, contentsOf(uri, text))
  }
  for (const { uri } of store.items) put(uri, store.read(uri))
  for (let n = 0; n < templateCount; n++) {
    for (let id = 0; id < idCount; id++) {
      const uri = templateUri(n, id)
      put(uri, store.readTemplate(n, uri))
    }
  }
  const hello = { protocolVersion: classicVersion, capabilities, serverInfo: info }
  const listeners = new Map<string, { port: BenchPort; message: object }[]>()
  const answer = ({ method, params }: Message, port: BenchPort): Result | undefined => {
    const uri = params?.uri as string
    switch (method) {
      case 'resources/list':
        return pages.get(params?.cursor as string | undefined)
      case 'resources/read':
        return reads.get(uri)
      case 'resources/subscribe': {
        const all = listeners.get(uri) ?? []
        listeners.set(uri, all)
        const updated = 'notifications/resources/updated'
        all.push({ port, message: { jsonrpc: '2.0', method: updated, params: { uri } } })
        return {}
      }
      case 'initialize':
        return hello
      default:
        return {}
    }
  }
  const touch = (uri: string) => {
    for (const { port, message } of listeners.get(uri) ?? []) port.postMessage(message)
  }
  return {
    open(port) {
      port.onmessage = ({ data }) => {
        if (data.id !== undefined)
          port.postMessage({ jsonrpc: '2.0', id: data.id, result: answer(data, port) })
      }
    },
    touch,
  }
}
