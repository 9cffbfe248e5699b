/**
 * Runs within a tab, in an isolated world that the page's scripts cannot reach. The value of the script
 * is `answer`: the bundler appends that expression.
 */

import { visibleText } from '../src/sources/page-content.ts'

/** The most text of a tab that is returned. */
const maxText = 200_000 // UTF-16 code units

// There is no body yet while the document begins to load.
const text = document.body === null ? '' : visibleText(document.body).toWellFormed()

export const answer = {
  site: location.origin,
  text: text.slice(0, maxText).toWellFormed(),
  cut: text.length > maxText,
}
