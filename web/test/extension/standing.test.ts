/** The headline of the popup says what assistants can read now, and nothing better. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Overview } from '../../extension/messages.ts'
import { standingOf } from '../../extension/standing.ts'

type Status = Overview['status']

const url = 'ws://127.0.0.1:8808/page'
const tabs = (shared: boolean) => [{ shared }] as Overview['tabs']
const status = (more: Partial<Status>): Status => ({ assistants: [], ...more })
const joined = { gateway: { url, is: 'joined', name: 'browser' } } as const

for (const [is, on, shared, more] of [
  ['stopped', false, true, joined],
  ['failed', true, true, { ...joined, failure: 'no WebAssembly' }],
  ['searching', true, true, { gateway: { url, is: 'connecting' } }],
  ['away', true, true, { gateway: { url, is: 'connecting', error: 'not reachable' } }],
  ['away', true, true, { gateway: { url, is: 'away' } }],
  ['unpaired', true, true, {}],
  ['unpaired', true, true, { gateway: { url, is: 'refused' }, reason: 'refused' }],
  ['unpaired', true, true, { gateway: { url, is: 'closed' } }],
  ['paused', true, true, { ...joined, pausedUntil: 1 }],
  ['nothing', true, false, joined],
  ['tabs', true, true, joined],
] as readonly [string, boolean, boolean, Partial<Status>][])
  test(`${is}: on ${on}, tabs ${shared}, ${JSON.stringify(more)}`, () => {
    assert.equal(standingOf({ on, tabs: tabs(shared), status: status(more) }), is)
  })
