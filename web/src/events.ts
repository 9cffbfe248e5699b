/** Events of an app: each is a resource with its last occurrences, as lines of JSON. */

import type { Registration } from './ending.ts'

/** Describes an event. */
export interface EventOptions {
  /** Removes the registration. */
  signal?: AbortSignal
  title?: string
  /** For models: what has happened, and what to do then. */
  description?: string
  /**
   * Whether `data` may be shown outside of the assistant's conversation, such as in the lines of `pagemcp watch
   * --contents`. Default: it may not.
   */
  show?: boolean
}

/** An event that the app offers. `D` is the type of its data. Its resource stays while the event is registered elsewhere, too. */
export interface PageEvent<D = unknown> extends Registration {
  /**
   * Appends an occurrence, with a copy of `data` as JSON, and announces the change of the resource.
   *
   * @throws TypeError for data that JSON cannot write, or that has more than 16 KiB
   */
  emit(data?: D): void
}

const maxLines = 100
const maxBytes = 64 << 10 // of all lines
const maxData = 16 << 10 // bytes

export interface EventLog {
  /** @throws TypeError for data that does not fit */
  append(data: unknown): void
  /**
   * The last occurrences as lines of JSON, oldest first: `number` from 1, `time`, `since` when the numbers began (both ISO
   * 8601), and `data`.
   */
  text(): string
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length

export function eventLog(name: string): EventLog {
  const since = new Date().toISOString()
  const lines: { text: string; bytes: number }[] = []
  let bytes = 0
  let number = 0
  return {
    append(data) {
      const json = JSON.stringify(data)
      if (json === undefined && data !== undefined) {
        throw new TypeError(`the data of ${name} is nothing that JSON can write`)
      }
      if (json !== undefined && bytesOf(json) > maxData) {
        throw new TypeError(`the data of ${name} has more than 16 KiB`)
      }
      const head = JSON.stringify({ number: ++number, time: new Date().toISOString(), since })
      const text = json === undefined ? `${head}\n` : `${head.slice(0, -1)},"data":${json}}\n`
      const line = { text, bytes: bytesOf(text) }
      lines.push(line)
      bytes += line.bytes
      while (lines.length > maxLines || bytes > maxBytes) bytes -= lines.shift()?.bytes ?? 0
    },
    text: () => lines.map(({ text }) => text).join(''),
  }
}

/** The resource of an event. @throws TypeError for a name that is not valid */
export function eventResource(name: string, { title, description, show }: EventOptions) {
  if (typeof name !== 'string' || name === '') throw new TypeError('an event needs a name')
  const uri = `event:///${encodeURIComponent(name)}`
  const _meta = show ? { 'io.github.pagemcp/show': true } : undefined
  return { uri, name, title, description, mimeType: 'application/jsonl', _meta }
}
