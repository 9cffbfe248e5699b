/**
 * A handler in front of a gateway for clients that cannot send a token: it adds Authorization, leaves Host and Origin
 * as they came, except that its own name becomes the gateway's, and writes down what is said.
 */

import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type AddressInfo, connect, isIP, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Recording, record } from './record.ts'

export interface Front {
  /** The URL of an endpoint of the gateway, as seen through this: `/mcp` by default. */
  url(path?: string): string
  close(): Promise<void>
}

/**
 * Starts one on a free port.
 *
 * @param name - of the recording
 */
export async function startFront(
  name: string,
  gateway: { readonly mcp: string; readonly token: string },
): Promise<Front> {
  const sessions = new Map<string, Recording>()
  const server = createServer((request, response) => {
    pass({ name, gateway: new URL(gateway.mcp), token: gateway.token, sessions }, request, response)
  })
  const sockets = new Set<Socket>()
  server.on('upgrade', (request, socket, head) => {
    const far = upgrade(new URL(gateway.mcp), gateway.token, request, socket as Socket, head)
    sockets.add(far).add(socket as Socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (path = '/mcp') => `http://127.0.0.1:${port}${path}`,
    async close() {
      server.closeAllConnections()
      for (const one of sockets) one.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Setting {
  name: string
  gateway: URL
  token: string
  /** What belongs to one session, over all of its requests. */
  sessions: Map<string, Recording>
}

async function pass(setting: Setting, request: IncomingMessage, response: ServerResponse) {
  const body = await text(request).catch(() => undefined)
  if (body === undefined) return // the client is gone
  const { gateway, sessions } = setting
  const session = request.headers['mcp-session-id']
  const talk =
    (typeof session === 'string' && sessions.get(session)) || record(`${setting.name} over HTTP`)
  if (body !== '') talk.client(body)
  const forward = (gateway.protocol === 'https:' ? httpsRequest : httpRequest)({
    host: gateway.hostname,
    port: gateway.port,
    servername: isIP(gateway.hostname) ? '' : gateway.hostname, // and not the Host that the client sends
    agent: gateway.protocol === 'https:' ? false : undefined, // a connection for each request: a balancer spreads them
    method: request.method,
    path: request.url,
    headers: headersFor(setting, request),
  })
  response.on('close', () => forward.destroy()) // a stream that the client closes is closed behind us
  forward.on('error', () => response.destroy())
  forward.on('response', (answer) => {
    const given = answer.headers['mcp-session-id']
    if (typeof given === 'string') sessions.set(given, talk)
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    response.flushHeaders()
    listenTo(answer, talk)
    answer.pipe(response)
  })
  forward.end(body)
}

/** Carries a WebSocket: the request with the token, and then bytes. Who speaks over it writes it down. */
function upgrade(
  gateway: URL,
  token: string,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Socket {
  const far = connect(Number(gateway.port), gateway.hostname)
  const headers = Object.entries(headersFor({ gateway, token }, request))
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  far.write([`GET ${request.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  far.write(head)
  far.pipe(socket).pipe(far)
  far.on('error', () => socket.destroy())
  socket.on('error', () => far.destroy())
  return far
}

function headersFor(
  { gateway, token }: Pick<Setting, 'gateway' | 'token'>,
  request: IncomingMessage,
): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = { ...request.headers, authorization: `Bearer ${token}` }
  const port = request.socket.localPort
  const own = [`127.0.0.1:${port}`]
  if (gateway.protocol === 'https:') own.push(`localhost:${port}`) // a local gateway has this name itself
  if (own.includes(headers.host ?? '')) headers.host = gateway.host
  if (own.some((host) => headers.origin === `http://${host}`)) headers.origin = gateway.origin
  delete headers['transfer-encoding'] // the body is known by now
  return headers
}

/** Writes down the messages of an answer: one JSON body, or the data of events. */
function listenTo(answer: IncomingMessage, talk: Recording) {
  const type = answer.headers['content-type'] ?? ''
  const events = type.startsWith('text/event-stream')
  if (!events && !type.startsWith('application/json')) return
  const decoder = new TextDecoder()
  let seen = ''
  answer.on('data', (chunk: Buffer) => {
    seen += decoder.decode(chunk, { stream: true })
    for (let end = seen.indexOf('\n\n'); events && end >= 0; end = seen.indexOf('\n\n')) {
      const data = seen
        .slice(0, end)
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trim())
        .join('\n')
      seen = seen.slice(end + 2)
      if (data !== '') talk.server(data)
    }
  })
  answer.on('end', () => {
    if (!events && seen !== '') talk.server(seen)
  })
}
