/**
 * Loaded before a test file by the runner: waits until it may begin, see pace.ts, and ends its process if that does not
 * end within the limit. Node's runner waits for it without an end, and Node itself runs hooks before it obeys SIGTERM.
 * Without a runner it does nothing.
 */

import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { connect } from 'node:net'
import { limitVariable, paceVariable } from './pace.ts'

const { [paceVariable]: address, [limitVariable]: limit } = process.env
// Workers and processes of a file do not ask again.
delete process.env[paceVariable]
delete process.env[limitVariable]
if (address !== undefined) {
  const socket = connect(address)
  await once(socket, 'data') // rejects if the runner is gone
  socket.unref()
}
if (limit !== undefined) {
  setTimeout(() => {
    writeSync(2, `${process.argv[1]} has not ended within ${Number(limit) / 1000} s\n`)
    process.kill(process.pid, 'SIGKILL')
  }, Number(limit)).unref()
}
