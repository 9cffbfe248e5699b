/** @jsxImportSource preact */
/** The entry of the playground's page. */

import { render } from 'preact'
import { part } from './base/part.ts'
import { makeTextsVisible } from './base/visible-text.ts'
import { App } from './shell/app.tsx'
import { start } from './shell/start.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html lacks #app')
makeTextsVisible()
root.replaceChildren() // the static content was for the time before this module
if (new URLSearchParams(location.search).has('notes')) {
  // The speaker's window follows the presenting window.
  part(import('./lessons/lesson-parts.ts')).then(({ showNotes }) => showNotes(root))
} else {
  render(<App />, root)
  start()
}
