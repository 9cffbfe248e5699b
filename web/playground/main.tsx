/** @jsxImportSource preact */
/** The entry of the playground's page. */

import { render } from 'preact'
import { makeTextsVisible } from './base/visible-text.ts'
import { App } from './shell/app.tsx'
import { start } from './shell/start.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html lacks #app')
makeTextsVisible()
root.replaceChildren() // the static content was for the time before this module
render(<App />, root)
start()
