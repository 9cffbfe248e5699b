/**
 * The transcripts of testdata/transcripts against engine.wasm as a page has it: shim, supervisor and
 * all, on text channels and on ports. wasm/engine plays the same files natively, and two engines deep.
 */

import './clock.ts'
import assert from 'node:assert/strict'
import test from 'node:test'
import { type Transcript, transcripts } from './transcript.ts'
import { play } from './world.ts'

/** Bytes that are not UTF-8 never get into a JavaScript string. */
const bytesOnly = ['malformed-utf8']

/** Options that the engine in a page does not have: transcripts that need them are native ones. */
const nativeOptions = ['maxInFlight', 'lenient']

/** Whether what a client sends here can be an object: what JSON.parse would lose cannot. */
function fitsObjects({ lines }: Transcript): boolean {
  return lines.every((line) => {
    if (line.what !== 'send') return true
    try {
      return JSON.stringify(JSON.parse(line.text)) === line.text
    } catch {
      return false
    }
  })
}

const all = transcripts().filter(
  ({ name, options }) =>
    !bytesOnly.includes(name) && !nativeOptions.some((option) => option in options),
)
const objects = all.filter(fitsObjects)

test('nearly all transcripts can be played here', () => {
  assert.ok(all.length >= 78, `${all.length} transcripts`)
  assert.ok(objects.length >= 68, `${objects.length} of them on ports`)
})

for (const transcript of all) {
  test(`${transcript.name}, on a text channel`, { timeout: 120_000 }, () =>
    play(transcript, 'text'),
  )
}

for (const transcript of objects) {
  test(`${transcript.name}, on a port`, { timeout: 120_000 }, () => play(transcript, 'port'))
}
