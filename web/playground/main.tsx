/** @jsxImportSource preact */
/** The playground: what is loaded first, and where it begins. */

import { render } from 'preact'
import { App } from './shell/app.tsx'
import { begin } from './shell/start.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html lacks #app')
root.replaceChildren() // what stood there was for the time before this module
if (new URLSearchParams(location.search).has('notes')) {
  // The speaker's window: it follows the one that presents.
  import('./lessons/speaker-window.tsx').then(({ showNotes }) => showNotes(root))
} else {
  render(<App />, root)
  begin()
}
