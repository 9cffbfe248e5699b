/**
 * Runs within a tab, in an isolated world that the page's scripts cannot reach. The value of the script
 * is `answer`: the bundler appends that expression.
 */

import { nextTask } from '../src/link.ts'
import { partReader } from '../src/sources/page-content.ts'

/** The most text of a tab that is returned. */
const maxText = 200_000 // UTF-16 code units

async function read() {
  // There is no body yet while the document begins to load.
  const { text } = await partReader('body', nextTask)('text', new AbortController().signal)
  const whole = text.toWellFormed()
  return {
    site: location.origin,
    text: whole.slice(0, maxText).toWellFormed(),
    cut: whole.length > maxText,
  }
}

export const answer = read()
