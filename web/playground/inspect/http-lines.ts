import type { Store } from '../messages/store.ts'

/** What HTTP had around a message, a line each: request or status line, headers, fields of an event. */
export function httpLines(store: Store, row: number): string[] {
  const http = store.http(row)
  if (!http) return []
  const { method, url, status, headers = {}, event } = http
  const lines: string[] = []
  if (method || url) lines.push([method, url].filter(Boolean).join(' '))
  if (status !== undefined) lines.push(`HTTP ${status}`)
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (event?.id !== undefined) lines.push(`id: ${event.id}`)
  if (event?.name !== undefined) lines.push(`event: ${event.name}`)
  return lines
}
