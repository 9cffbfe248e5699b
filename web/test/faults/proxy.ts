/** A TCP proxy in front of a gateway that can stop forwarding one direction or both, as a half-open connection does. */

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** One proxied WebSocket connection. */
export interface Link {
  /** From now on bytes and ends of these directions are dropped: `up` is from the page to the gateway. */
  swallow(directions: readonly ('up' | 'down')[]): void
  /** Settles when the gateway closes its side. */
  readonly dropped: Promise<void>
}

export interface Proxy {
  /** The next WebSocket connection; `timeout` in ms. */
  next(timeout: number): Promise<Link>
  close(): Promise<void>
}

/**
 * Listens on `host` and forwards to 127.0.0.1, on the same port: a gateway and a page both sign the port, so it cannot
 * be another one.
 *
 * @param host - another loopback address, such as 127.0.0.2
 */
export async function proxy(host: string, port: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const links: Link[] = []
  const waiting: ((link: Link) => void)[] = []
  const server = createServer({ allowHalfOpen: true }, (page) => {
    const gateway = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const swallowed = new Set<string>()
    const forward = (from: Socket, to: Socket, direction: 'up' | 'down') => {
      sockets.add(from)
      from.on('data', (data) => void (swallowed.has(direction) || to.write(data)))
      from.on('end', () => void (swallowed.has(direction) || to.end()))
      from.on('error', () => void (swallowed.has(direction) || to.destroy()))
      from.on('close', () => sockets.delete(from))
    }
    forward(page, gateway, 'up')
    forward(gateway, page, 'down')
    const dropped = once(gateway, 'end').then(
      () => {},
      () => {}, // reset
    )
    page.once('data', (data) => {
      if (!/^upgrade: websocket/im.test(data.toString('latin1'))) return
      const link: Link = {
        swallow: (directions) => directions.forEach((one) => void swallowed.add(one)),
        dropped,
      }
      const taker = waiting.shift()
      if (taker) taker(link)
      else links.push(link)
    })
  })
  server.listen({ host, port })
  await once(server, 'listening')
  return {
    next: (timeout) =>
      new Promise((resolve, reject) => {
        const link = links.shift()
        if (link) return resolve(link)
        const timer = setTimeout(
          () => reject(new Error(`no WebSocket connection to ${host}:${port} in ${timeout} ms`)),
          timeout,
        )
        waiting.push((link) => {
          clearTimeout(timer)
          resolve(link)
        })
      }),
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
