/** What each artifact with a program must do: start the gateway, let a page join, and let an assistant read it. */

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import * as stories from '../clients/stories.ts'
import { type Program, startGateway } from '../e2e/gateway.ts'
import { openNotes } from '../e2e/notes.ts'
import { assistant } from '../extension/assistant.ts'
import type { TestBrowser } from '../harness/browsers.ts'

const seconds = (from: number) => `${((performance.now() - from) / 1000).toFixed(1)} s`

/**
 * Starts `dev`, writes a note in its demo, and reads it by the official TypeScript SDK. Prints how long it took from
 * the command to the read, the person's part included.
 */
export async function firstRead(
  artifact: string,
  by: Program,
  browser: TestBrowser,
  print: Pick<TestContext, 'diagnostic'>['diagnostic'],
): Promise<void> {
  const began = performance.now()
  const gateway = await startGateway({ by })
  try {
    const ready = seconds(began)
    const { subject } = await openNotes(gateway, browser)
    const reader = await assistant(gateway)
    const { text } = await reader.read(subject.uri)
    print(
      `${artifact}: the gateway runs after ${ready}, the first read ends after ${seconds(began)}`,
    )
    await reader.close()
    assert.match(text, /milk/)
    await stories.modernOverStdio(gateway.stdio, subject) // and hears of changes
  } finally {
    await gateway.close()
  }
}
