/**
 * For clients of a page, `pagemcp/client`: in other windows, frames and Workers. It has no engine, so it is
 * small. A client of either TypeScript SDK connects by a transport:
 *
 * ```ts
 * const client = new Client({ name: 'assistant', version: '1.0.0' })
 * await client.connect(pageTransport(parent, { origin: 'https://notes.example' }))
 * ```
 */

export { connectTo } from './listen.ts'
export type { Goodbye, Port } from './port.ts'
export { type ClientTransport, pageTransport, portTransport } from './transport.ts'
