/** The official conformance suite: assistant → HTTP → gateway → WebSocket → a page in a real browser. */

import { after, before } from 'node:test'
import { testRequirements, testTheRest } from './checks.ts'
import { type Subject, startSubject } from './subject.ts'

let subject: Subject
before(
  async () => {
    subject = await startSubject('conformance')
  },
  { timeout: 300_000 },
)
after(() => subject?.close())

const url = (which: 'page' | 'all') =>
  subject.front.url(which === 'page' ? '/mcp/conformance' : '/mcp')

testRequirements(url)

testTheRest(url)
