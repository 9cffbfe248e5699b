/** The official conformance suite: assistant → HTTP → gateway → WebSocket → a page in a real browser. */

import { after, before, test } from 'node:test'
import { isWhole } from '../harness/whole.ts'
import { meetRequirements, sets, testRequirements, testTheRest, timeout } from './checks.ts'
import { type Subject, startSubject } from './subject.ts'

let subject: Subject // in Chromium; Firefox has a test of its own
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

// What differs between browsers is in test/core/browser/.
if (isWhole) {
  test('what both require, with the page in Firefox', { timeout: 2 * timeout }, async () => {
    const other = await startSubject('conformance', 'firefox')
    try {
      for (const [revision, count] of sets) {
        await meetRequirements(other.front.url('/mcp/conformance'), revision, count)
      }
    } finally {
      await other.close()
    }
  })
}

testTheRest(url)
