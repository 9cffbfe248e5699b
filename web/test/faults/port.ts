/** A gateway's port while the gateway is away: everything that connects is cut off, and counted. */

import { createServer, type Socket } from 'node:net'

export interface ClosedPort {
  /** Waits until this many connections were attempted since the start. */
  attempts(count: number, timeout: number): Promise<void>
  /** Frees the port. */
  release(): Promise<void>
}

/** Takes a loopback port that was in use a moment ago. */
export async function closedPort(port: number): Promise<ClosedPort> {
  let count = 0
  let wake = () => {}
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    count++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.resetAndDestroy()
    wake()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: '127.0.0.1' }, resolve)
  })
  return {
    async attempts(wanted, timeout) {
      const late = AbortSignal.timeout(timeout)
      while (count < wanted) {
        await new Promise<void>((resolve, reject) => {
          wake = resolve
          const give = () =>
            reject(
              new Error(
                `${count} of ${wanted} attempts to connect to port ${port} in ${timeout} ms`,
              ),
            )
          late.addEventListener('abort', give, { once: true })
        })
      }
    },
    release: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
