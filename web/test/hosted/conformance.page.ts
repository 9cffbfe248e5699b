/** The official conformance suite with access tokens: assistant → HTTPS → hosted gateway → wss: → a page in Chromium. */

import { after, before } from 'node:test'
import { type Endpoint, testRequirements, testTheRest } from '../conformance/checks.ts'
import { startSubject } from './subject.ts'

let subject: Awaited<ReturnType<typeof startSubject>>
before(
  async () => {
    subject = await startSubject(1)
  },
  { timeout: 300_000 },
)
after(() => subject?.close())

const url: Endpoint = (which) => subject.url(which)

testRequirements(url)
testTheRest(url)
