/** Runs app.ts in a browser and compares what it has seen. Shared by all ways of bundling and hosting. */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import type { TestBrowser } from '../harness/browsers.ts'
import type { Answers } from './app.ts'

/** The npm package, as `pagemcp build` writes it. */
export const packageDirectory = join(import.meta.dirname, '../../../dist/npm/pagemcp')

if (!existsSync(join(packageDirectory, 'index.js'))) {
  throw new Error(`there is no package in ${packageDirectory}: run make build`)
}

// @types/node of Node 20 does not know it; tests run in Node 24.
const { stripTypeScriptTypes } = nodeModule as unknown as {
  stripTypeScriptTypes(code: string): string
}

/** app.ts as JavaScript: its only import is `pagemcp`. */
export function appSource(): string {
  return stripTypeScriptTypes(readFileSync(join(import.meta.dirname, 'app.ts'), 'utf8'))
}

/** How long the app may take: a development server may bundle during the first request. */
const appTimeout = 60_000 // ms

export interface Expected {
  /** Scheme of the Worker's URL: `blob:` if it has another origin than the page; default: the page's. */
  worker?: string
  /** Whether the app has a component that uses pagemcp/react. */
  react?: boolean
  /** The app fails with this error. */
  fails?: RegExp
}

interface Seen {
  answers?: Answers
  failure?: string
  rendered?: string
}

/** Opens a page that calls `startMcp`, and checks what the app has seen. */
export async function driveApp(
  { open }: Pick<TestBrowser, 'open'>,
  url: string,
  { worker, react, fails }: Expected = {},
): Promise<void> {
  const tab = await open(url)
  try {
    await tab.waitForFunction('globalThis.pagemcpAnswers || globalThis.pagemcpFailure', {
      timeout: appTimeout,
    })
    const seen = (await tab.evaluate(
      '({ answers: globalThis.pagemcpAnswers, failure: globalThis.pagemcpFailure, rendered: globalThis.pagemcpRendered })',
    )) as Seen
    if (fails) return assert.match(seen.failure ?? 'no failure', fails)
    assert.equal(seen.failure, undefined)
    assert.deepEqual(seen.answers, {
      record: '"in a record"',
      changed: '"changed"',
      tool: 'haha',
      refused: 'The arguments are not valid. /times: 4 is greater than 3.',
      completed: 'notes',
      workers: [worker ?? new URL(url).protocol],
    } satisfies Answers)
    assert.equal(seen.rendered, react ? 'rendered' : undefined)
  } finally {
    await tab.close()
  }
}
