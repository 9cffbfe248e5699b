/**
 * Loaded before a test file by the runner: waits until it may begin, see pace.ts, and kills its process if that does not
 * end within the limit, or within a twentieth of it after the tests, whose results are passed on by then. Node's runner waits for
 * a process without an end, by SIGTERM Node runs hooks first, and with `forceExit` it loses results. Without a runner it does nothing.
 */

import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { connect } from 'node:net'
import { after } from 'node:test'
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
const later = setTimeout // tests put clocks of their own in its place
if (limit !== undefined) {
  const most = Number(limit)
  endAfter(most, 'its beginning')
  after(() => endAfter(most / 20, 'its tests')) // a file's own hooks come after this one
}

function endAfter(ms: number, what: string) {
  later(() => {
    writeSync(2, `${process.argv[1]} has not ended within ${ms / 1000} s of ${what}\n`)
    process.kill(process.pid, 'SIGKILL')
  }, ms).unref()
}
