/** Transcripts out to files, and files in: what was read goes the way of live traffic, on connections of its own. */

import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { pane } from '../base/state.ts'
import { Connection } from '../connections/connection.ts'
import { clientName, setClientName } from '../connections/names.ts'
import type { Dialer } from '../connections/transport.ts'
import { store } from '../messages/log.ts'
import { clientInfo } from '../protocol/revisions.ts'
import { readTranscript, type Transcript, writeTranscript } from './transcript.ts'

/** A file beyond this is not read. */
const largest = 300_000_000 // bytes, unpacked

/** How long reading or writing rows may keep others from their turn. */
const slice = 8 // ms

export interface ExportOptions {
  /** Takes secrets out; default true. */
  redacted?: boolean
  /** Packs the file; default false. */
  gzip?: boolean
}

/** Saves rows as a transcript; without rows, all. */
export async function exportTranscript(
  rows: Iterable<number> = Array.from({ length: store.length }, (_, row) => row),
  { redacted = true, gzip = false }: ExportOptions = {},
): Promise<void> {
  const all = [...rows]
  const connections = [...new Set(all.map((row) => store.connection(row)))].filter(
    (connection) => connection > 0,
  )
  const lines = writeTranscript(store, all, {
    peers: connections.map((c) => ({ c, ...clientName(c) })),
    redacted,
    version: clientInfo.version,
    text: (row) => (store.isArchived(row) ? store.text(row) : store.raw(row)),
  })
  const parts: string[] = []
  let end = performance.now() + slice
  for await (const line of lines) {
    parts.push(line)
    if (performance.now() < end) continue
    await yieldToBrowser()
    end = performance.now() + slice
  }
  let blob = new Blob(parts, { type: 'application/jsonl' })
  if (gzip) {
    const packed = blob.stream().pipeThrough(new CompressionStream('gzip'))
    blob = await new Response(packed).blob()
  }
  const day = new Date().toISOString().slice(0, 16).replace(/[T:]/g, '-')
  save(blob, `${day}.mcplog.jsonl${gzip ? '.gz' : ''}`)
}

/** Offers a file to be saved. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // ms; some browsers begin to read it late
}

/** Reads files into the store and says how that went. Files that are something else are named. */
export async function importFiles(files: Iterable<File>): Promise<void> {
  for (const file of files) {
    try {
      const transcript = await readTranscript(await unpacked(file), yieldToBrowser)
      const count = await take(transcript, file.name)
      pane.value = 'timeline'
      actions.announce(t('share.imported', { count, name: file.name }))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      actions.announce(t('share.notImported', { name: file.name, reason }))
    }
  }
}

/** Lets what waits have its turn: drawing, typing, messages. */
const yieldToBrowser = () => new Promise<void>((resolve) => setTimeout(resolve))

async function unpacked(file: File): Promise<string> {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  const gzip = head[0] === 0x1f && head[1] === 0x8b // RFC 1952, section 2.3.1
  const stream: ReadableStream<BufferSource & Uint8Array> = gzip
    ? file.stream().pipeThrough(new DecompressionStream('gzip'))
    : file.stream()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > largest) {
      await reader.cancel()
      throw new Error(t('share.tooLarge'))
    }
    text += decoder.decode(value, { stream: true })
  }
}

let imported = 0

/** Pushes what was read, a slice at a time; returns how many rows. */
async function take({ peers, entries }: Transcript, name: string): Promise<number> {
  const connections = new Map<number, number>([[0, 0]])
  for (const { c, title, letter } of peers) {
    // a connection is only taken for its number: it never opens
    const { id } = new Connection(importDialer(name), '', store)
    connections.set(c, id)
    // numbered, so that `client:A` of the filter stays the A of now
    setClientName(id, { letter: `${letter}${++imported}`, title: title || name })
  }
  let end = performance.now() + slice
  for (const entry of entries) {
    store.push({ ...entry, connection: connections.get(entry.connection) ?? 0 })
    if (performance.now() < end) continue
    await yieldToBrowser()
    end = performance.now() + slice
  }
  return entries.length
}

const importDialer = (title: string): Dialer => ({
  title,
  kind: 'tap',
  url: '',
  framing: 'port',
  readOnly: true,
  dial: () => Promise.reject(new Error('a file is not connected to anybody')),
})
