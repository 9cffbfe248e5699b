/**
 * Runs within a tab, in a world of its own that the page's scripts cannot reach. The value of the
 * script is `answer`: the bundler puts that at its end.
 */

import { sheet, writeText } from '../src/sources/page-text.ts'
import { eyes } from '../src/sources/page-visible.ts'

/** Most text of a tab that is told. */
const maxText = 200_000 // UTF-16 code units

const text = visibleText().toWellFormed()

export const answer = {
  site: location.origin,
  text: text.slice(0, maxText).toWellFormed(),
  cut: text.length > maxText,
}

/** What the source `page` would tell of the whole body. */
function visibleText(): string {
  const { body } = document
  if (body === null) return '' // it has not come yet
  const look = eyes()
  const place = look.find(body)
  if (place === undefined) return ''
  const out = sheet()
  writeText(body, place, look, out)
  return out.done()
}
