/** Prepared answers. */

import type { Message } from '../client.ts'
import { capabilities, contents, firstRead, info, protocolVersion } from './first-read.ts'

const { port1, port2 } = new MessageChannel()
port2.onmessage = ({ data }: MessageEvent<Message>) => {
  const hello = { protocolVersion, capabilities, serverInfo: info }
  const result = data.method === 'initialize' ? hello : contents
  if (data.id !== undefined) port2.postMessage({ jsonrpc: '2.0', id: data.id, result })
}
void firstRead(port1)
