/**
 * A Worker with one of the twins of ours: an SDK that has published texts itself and asks the page for those of
 * functions and templates, or null, which has everything prepared.
 */

import type { BenchPort } from './client.ts'
import { makeEntries } from './data.ts'
import { type SdkName, sdk } from './sdks.ts'
import { echo, pageStore, type Store } from './serving.ts'

/** What the page sends. `open` comes with a port. */
export type ToWorker =
  | { start: SdkName | 'null' }
  | { open: MessagePort }
  | { touch: string }
  | { answer: number; text: string | undefined }

/** A question to the page, for the text of a resource. `ready`: the Worker has its data. */
export type FromWorker =
  | { ask: number; uri: string; template: number | undefined }
  | { ready: true }

let subject: { open(port: BenchPort): void; touch(uri: string): void } | undefined
const waiting = new Map<number, (text: string | undefined) => void>()
let last = 0

function ask(uri: string, template?: number): Promise<string | undefined> {
  const number = ++last
  return new Promise((resolve) => {
    waiting.set(number, resolve)
    postMessage({ ask: number, uri, template } satisfies FromWorker)
  })
}

function askingStore(): Store {
  const entries = makeEntries()
  const published = new Map(
    entries.filter((one) => one.isPublished).map(({ item, text }) => [item.uri, text]),
  )
  const functions = new Set(entries.filter((one) => !one.isPublished).map(({ item }) => item.uri))
  return {
    items: entries.map(({ item }) => item),
    read: (uri) => published.get(uri) ?? (functions.has(uri) ? ask(uri) : undefined),
    readTemplate: (n, uri) => ask(uri, n),
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ('answer' in data) {
    const resolve = waiting.get(data.answer)
    waiting.delete(data.answer)
    resolve?.(data.text)
  } else if ('touch' in data) {
    subject?.touch(data.touch)
  } else if ('open' in data) {
    subject?.open(data.open)
  } else {
    const { start } = data
    subject = start === 'null' ? echo(pageStore(makeEntries())) : sdk(start, askingStore())
    postMessage({ ready: true } satisfies FromWorker)
  }
}
