/** What the official conformance suite requires, with access tokens, by three nodes in turn: each request has a connection of its own. */

import { after, before } from 'node:test'
import { type Endpoint, testRequirements } from '../conformance/checks.ts'
import { startSubject } from './subject.ts'

let subject: Awaited<ReturnType<typeof startSubject>>
before(
  async () => {
    subject = await startSubject(3)
  },
  { timeout: 300_000 },
)
after(() => subject?.close())

const url: Endpoint = (which) => subject.url(which)

testRequirements(url)
