/** Ports for programs that must be told theirs before they start. */

import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems give to those who ask for any: nobody else takes one between two tests. */
const lowest = 20_000
const count = 10_000

/** A port of `localhost`, IPv4 and IPv6, on which nothing listens now. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = lowest + Math.floor(Math.random() * count)
    if ((await isFree(port, '127.0.0.1')) && (await isFree(port, 'localhost'))) return port
  }
  throw new Error(`none of 100 ports from ${lowest} to ${lowest + count} is free`)
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
