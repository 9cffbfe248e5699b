/**
 * How many test files run at once. Most files wait for half of their time: with one for each core, the processors rest;
 * with a fixed larger number, files that compute at the same time slow each other down until they fail. The runner starts the
 * processes of {@link most} files. Each asks before its first test (begin.ts): one for each core begins at once, another
 * one whenever the processors have rested for a while. A file counts until its process ends.
 */

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'

/** The environment variable with the path of the socket on which a file asks. */
export const paceVariable = 'PAGEMCP_PACE'

/** The environment variable with how long a file may run once it has begun, ms. */
export const limitVariable = 'PAGEMCP_FILE_LIMIT'

/** How many files may begin whatever the processors do: one for each core, since browsers use several. */
const least = availableParallelism()

/** How many run at once at most. */
export const most = 3 * least

/** How often the processors are looked at, ms. A file that has just begun shows in what they do by then. */
const interval = 1000

/** Which part of the processors must have been idle since the last look for another file to begin. */
const enough = 0.25

/**
 * Decides which files begin.
 *
 * @param least - how many may run whatever the processors do
 * @param most - how many may run while the processors rest
 */
export function paced(least: number, most: number) {
  const waiting: (() => void)[] = []
  const running = new Set<() => void>()
  const next = (limit: number) => {
    const begin = running.size < limit ? waiting.shift() : undefined
    if (begin === undefined) return
    running.add(begin)
    begin()
  }
  return {
    /** Takes a file, which `begin` lets begin; returns what is to be called at its end. */
    ask(begin: () => void): () => void {
      waiting.push(begin)
      next(least)
      return () => {
        if (waiting.includes(begin)) waiting.splice(waiting.indexOf(begin), 1)
        else if (running.delete(begin)) next(least)
      }
    },
    /** Hears which part of the processors was idle of late, 0 to 1. */
    look(idle: number) {
      if (idle >= enough) next(most)
    },
  }
}

/** Lets the files begin that ask on a socket. */
export async function keepPace(): Promise<{ address: string; close(): void }> {
  const directory = mkdtempSync(join(tmpdir(), 'pagemcp-pace-'))
  const address = join(directory, 'socket')
  const sockets = new Set<Socket>()
  const pace = paced(least, most)
  const server = createServer((socket) => {
    sockets.add(socket)
    const end = pace.ask(() => socket.write('begin\n'))
    socket.resume() // so that its end is noticed
    socket.on('error', () => {}) // its process has ended
    socket.on('close', () => {
      sockets.delete(socket)
      end()
    })
  })
  const stop = lookAtProcessors(pace.look)
  server.listen(address)
  await once(server, 'listening')
  return {
    address,
    close() {
      stop()
      server.close()
      for (const socket of sockets) socket.destroy()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function lookAtProcessors(hear: (idle: number) => void): () => void {
  let last = processorTimes()
  const timer = setInterval(() => {
    const now = processorTimes()
    hear((now.idle - last.idle) / Math.max(1, now.all - last.all))
    last = now
  }, interval)
  return () => clearInterval(timer)
}

/** Of all processors since they started, ms. */
function processorTimes(): { idle: number; all: number } {
  let [idle, all] = [0, 0]
  for (const { times } of cpus()) {
    idle += times.idle
    all += times.user + times.nice + times.sys + times.idle + times.irq
  }
  return { idle, all }
}
