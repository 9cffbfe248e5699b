/** Loaded before a test file by the runner: waits until it may begin; see pace.ts. Without a runner it does nothing. */

import { once } from 'node:events'
import { connect } from 'node:net'
import { paceVariable } from './pace.ts'

const address = process.env[paceVariable]
delete process.env[paceVariable] // Workers and processes of a file do not ask again
if (address !== undefined) {
  const socket = connect(address)
  await once(socket, 'data') // rejects if the runner is gone
  socket.unref()
}
