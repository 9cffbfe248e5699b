/**
 * A gateway that was written from testdata/wire.md alone, with Node's own crypto and sockets: what joins it
 * follows the document and not only our other half. It can also be a stranger.
 */

import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

type Message = Record<string, unknown>

export interface Peer {
  /** Every message that came, in order. */
  readonly got: Message[]
  next(): Promise<Message>
  send(message: unknown): void
  close(code: number, reason?: string): void
  /** The code that the page closed with. */
  readonly closed: Promise<number>
  readonly origin: string
}

export interface FakeGateway {
  readonly url: string
  /** What to put behind a page's URL. */
  readonly fragment: string
  /** The next page that dials. */
  dialled(): Promise<Peer>
  /** How many pages have dialled. */
  readonly dials: number
  /**
   * The gateway's side of joining, up to `joined`; returns hello. `honest: false`: a wrong proof. A page that comes
   * with a key of another gateway gets a proof that is wrong, too.
   */
  join(peer: Peer, options?: { honest?: boolean; name?: string }): Promise<Message>
  close(): Promise<void>
}

/** @param port - where it listens; default: a free port */
export async function fakeGateway(port = 0): Promise<FakeGateway> {
  const secret = randomBytes(32)
  const id = randomBytes(16).toString('base64url')
  const peers = queue<Peer>()
  const keys = new Map<string, Buffer>()
  const server = createServer((_, response) => response.writeHead(426).end())
  const sockets = new Set<Duplex>()
  let dials = 0
  server.on('upgrade', (request, socket) => {
    dials++
    sockets.add(socket)
    peers.push(accept(request, socket))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/page`
  const invitation = { url, id: 'secret-1', secret: secret.toString('base64url') }

  return {
    url,
    fragment: `#pagemcp=${Buffer.from(JSON.stringify(invitation)).toString('base64url')}`,
    dialled: peers.next,
    get dials() {
      return dials
    },
    async join(peer, { honest = true, name = 'notes' } = {}) {
      const first = await peer.next()
      const info = `pagemcp/1 key ${peer.origin}`
      const key =
        typeof first.key === 'string'
          ? (keys.get(first.key) ?? randomBytes(32))
          : Buffer.from(hkdfSync('sha256', secret, id, info, 32))
      const nonce = randomBytes(32)
      const proof = (label: string) => {
        const mac = createHmac('sha256', key)
        const parts = [
          label,
          Buffer.from(String(first.nonce), 'base64url'),
          nonce,
          peer.origin,
          id,
          url,
        ]
        for (const part of parts.map((one) => Buffer.from(one))) {
          const length = Buffer.alloc(4)
          length.writeUInt32BE(part.length)
          mac.update(length).update(part)
        }
        return mac.digest('base64url')
      }
      const own = honest ? proof('pagemcp/1 gateway') : randomBytes(32).toString('base64url')
      peer.send({ gateway: id, nonce: nonce.toString('base64url'), proof: own })
      if (!honest) return {}
      const answer = await peer.next()
      if (answer.proof !== proof('pagemcp/1 page'))
        throw new Error('the proof of the page is wrong')
      keys.set('key-1', key)
      peer.send({ joined: name, key: 'key-1' })
      return answer.hello as Message
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** RFC 6455, as far as a test needs it. */
export function accept(request: IncomingMessage, socket: Duplex): Peer {
  const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
  const token = createHash('sha1').update(request.headers['sec-websocket-key'] + guid)
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${token.digest('base64')}\r\nSec-WebSocket-Protocol: ${request.headers['sec-websocket-protocol']}\r\n\r\n`,
  )
  const messages = queue<Message>()
  const got: Message[] = []
  let closed: (code: number) => void = () => {}
  const closing = new Promise<number>((resolve) => {
    closed = resolve
  })
  let buffer = Buffer.alloc(0)
  let closes = false // this side has begun
  socket.on('error', () => {})
  socket.on('close', () => closed(1006))
  socket.on('data', (data: Buffer) => {
    buffer = Buffer.concat([buffer, data])
    for (;;) {
      const frame = readFrame(buffer)
      if (frame === undefined) return
      buffer = buffer.subarray(frame.size)
      if (frame.opcode === 8) {
        closed(frame.payload.length >= 2 ? frame.payload.readUInt16BE(0) : 1005)
        if (closes) socket.end() // Chromium waits 2 s for it
      }
      if (frame.opcode !== 1) continue
      const message = JSON.parse(frame.payload.toString()) as Message
      got.push(message)
      messages.push(message)
    }
  })
  return {
    got,
    next: messages.next,
    send: (message) => socket.write(frameOf(1, Buffer.from(JSON.stringify(message)))),
    close(code, reason = '') {
      const payload = Buffer.from(`  ${reason}`)
      payload.writeUInt16BE(code)
      closes = true
      socket.write(frameOf(8, payload))
    },
    closed: closing,
    origin: request.headers.origin ?? '',
  }
}

function readFrame(buffer: Buffer) {
  if (buffer.length < 6) return undefined
  let length = buffer.readUInt8(1) & 127
  let at = 2
  if (length === 126) {
    length = buffer.readUInt16BE(2)
    at = 4
  } else if (length === 127) {
    if (buffer.length < 14) return undefined
    length = Number(buffer.readBigUInt64BE(2))
    at = 10
  }
  if (buffer.length < at + 4 + length) return undefined
  const mask = buffer.subarray(at, at + 4)
  const payload = Buffer.from(buffer.subarray(at + 4, at + 4 + length))
  for (let i = 0; i < length; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i % 4] ?? 0)
  return { opcode: buffer.readUInt8(0) & 15, payload, size: at + 4 + length }
}

function frameOf(opcode: number, payload: Buffer): Buffer {
  const head = payload.length < 126 ? Buffer.alloc(2) : Buffer.alloc(4)
  head.writeUInt8(0x80 | opcode, 0)
  head.writeUInt8(Math.min(payload.length, 126), 1)
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}

export function queue<T>() {
  const items: T[] = []
  const waiting: ((item: T) => void)[] = []
  return {
    push(item: T) {
      const taker = waiting.shift()
      if (taker) taker(item)
      else items.push(item)
    },
    next: (): Promise<T> =>
      new Promise((resolve, reject) => {
        const item = items.shift()
        if (item !== undefined) return resolve(item)
        const timer = setTimeout(() => reject(new Error('nothing came in 15 s')), 15_000)
        waiting.push((one) => {
          clearTimeout(timer)
          resolve(one)
        })
      }),
  }
}
