/** What all start-up pages do once their subject serves a port: one read. */

import { type BenchPort, benchClient } from '../client.ts'

export const uri = 'app://first'
export const resource = { uri, name: 'first', mimeType: 'text/plain' }
export const contents = { contents: [{ uri, mimeType: 'text/plain', text: 'answered' }] }
export const info = { name: 'bench', version: '1.0.0' }
export const capabilities = { resources: {} }
export const protocolVersion = '2025-11-25'

declare global {
  interface Window {
    /** When the first read was answered, ms since the navigation began. */
    answered: number
  }
}

/** Initializes, reads, and notes when the answer came. */
export async function firstRead(port: BenchPort): Promise<void> {
  const client = benchClient(port)
  await client.call('initialize', { protocolVersion, capabilities: {}, clientInfo: info })
  client.notify('notifications/initialized')
  const result = await client.call('resources/read', { uri })
  const answered = performance.now()
  const [content] = result.contents as { text?: string }[]
  if (content?.text !== 'answered') throw new Error(`read ${JSON.stringify(result)}`)
  window.answered = answered
}
