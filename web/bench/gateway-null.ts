/** A page that joins a relay (server/interop/bench/null.go), with prepared answers. */

import type { Message } from './client.ts'
import { makeEntries } from './data.ts'
import { capabilities, classicVersion, contentsOf, info } from './serving.ts'

async function join(): Promise<string> {
  const hello = JSON.stringify({ protocolVersion: classicVersion, capabilities, serverInfo: info })
  const reads = new Map(
    makeEntries().map(({ item, text }) => [item.uri, JSON.stringify(contentsOf(item.uri, text))]),
  )
  const socket = new WebSocket(new URLSearchParams(location.search).get('relay') ?? '')
  socket.onmessage = ({ data }: MessageEvent<string>) => {
    const end = data.indexOf('\n')
    const { id, method, params } = JSON.parse(data.slice(end + 1)) as Message
    const result = method === 'initialize' ? hello : (reads.get(params?.uri as string) ?? '{}')
    socket.send(`${data.slice(0, end + 1)}{"jsonrpc":"2.0","id":${id},"result":${result}}`)
  }
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error('no relay'))
  })
  return 'null'
}

window.joined = join()
