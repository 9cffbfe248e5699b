/** Exports and imports transcripts. Imported rows are pushed like live messages, as connections of their own. */

import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { saveFile } from '../base/save-file.ts'
import { show } from '../base/state.ts'
import { drafts } from '../connections/clients.ts'
import { Connection } from '../connections/connection.ts'
import { clientName, setClientName } from '../connections/names.ts'
import type { Dialer } from '../connections/transport.ts'
import { store } from '../messages/log.ts'
import { clientInfo } from '../protocol/revisions.ts'
import { type Link, linkFrom } from './link.ts'
import { readTranscript, type Transcript, writeTranscript } from './transcript.ts'

/** Larger files are rejected. */
const maxFileSize = 300_000_000 // bytes, unpacked

/** Files with more messages of the composer are rejected. */
const maxTabs = 200

/** Longest time of one slice of reading or writing, so that the page stays responsive. */
const slice = 8 // ms

export interface ExportOptions {
  /** Removes secrets; default true. */
  redacted?: boolean
  /** Compresses the file; default false. */
  gzip?: boolean
}

/** The lines of rows as a transcript. */
export async function transcriptOf(all: readonly number[], redacted: boolean): Promise<string[]> {
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
  return parts
}

/** Exports rows as a transcript; default: all. */
export async function exportTranscript(
  rows: Iterable<number> = Array.from({ length: store.length }, (_, row) => row),
  { redacted = true, gzip = false }: ExportOptions = {},
): Promise<void> {
  const parts = await transcriptOf([...rows], redacted)
  let blob = new Blob(parts, { type: 'application/jsonl' })
  if (gzip) {
    const packed = blob.stream().pipeThrough(new CompressionStream('gzip'))
    blob = await new Response(packed).blob()
  }
  const day = new Date().toISOString().slice(0, 16).replace(/[T:]/g, '-')
  saveFile(`${day}.mcplog.jsonl${gzip ? '.gz' : ''}`, blob.type, blob)
}

/**
 * Imports files: transcripts into the store, messages into tabs of the composer. Announces the result, also for files
 * of other kinds.
 */
export async function importFiles(files: Iterable<File>): Promise<void> {
  for (const file of files) {
    try {
      const text = await unpacked(file)
      if (text.startsWith('{"m":')) {
        openMessages(linkFrom(text, maxTabs))
        continue
      }
      const transcript = await readTranscript(text, yieldToBrowser)
      const { length: count } = await pushEntries(transcript, file.name)
      show({ pane: 'timeline' })
      actions.announce(t('share.imported', { count, name: file.name }))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      actions.announce(t('share.notImported', { name: file.name, reason }))
    }
  }
}

/** Opens messages in tabs of the composer, and sends nothing. */
export function openMessages({ messages, target }: Link): void {
  for (const { text, title, revision } of messages)
    drafts.peek().add(text, { title: title ?? '', revision, from: target })
  show({ pane: 'compose' })
}

/** Lets other tasks run: drawing, input, messages. */
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
    if (size > maxFileSize) {
      await reader.cancel()
      throw new Error(t('share.tooLarge'))
    }
    text += decoder.decode(value, { stream: true })
  }
}

let importCount = 0

/** Pushes entries in slices; returns the rows. */
export async function pushEntries(
  { peers, entries }: Transcript,
  name: string,
): Promise<readonly number[]> {
  const rows: number[] = []
  const connections = new Map<number, number>([[0, 0]])
  for (const { c, title, letter } of peers) {
    // the connection only provides a number: it never opens
    const { id } = new Connection(importDialer(name), '', store)
    connections.set(c, id)
    // numbered, so that the filter `client:A` matches the current A only
    setClientName(id, { letter: `${letter}${++importCount}`, title: title || name })
  }
  let end = performance.now() + slice
  for (const entry of entries) {
    rows.push(store.push({ ...entry, connection: connections.get(entry.connection) ?? 0 }))
    if (performance.now() < end) continue
    await yieldToBrowser()
    end = performance.now() + slice
  }
  for (const id of connections.values()) store.end(id) // nothing more comes
  return rows
}

const importDialer = (title: string): Dialer => ({
  title,
  kind: 'tap',
  url: '',
  framing: 'port',
  readOnly: true,
  dial: () => Promise.reject(new Error('an imported file has no server')),
})
