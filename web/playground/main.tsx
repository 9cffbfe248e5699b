/** @jsxImportSource preact */
/** The playground: what is loaded first, and where it begins. */

import { render } from 'preact'
import { App } from './app/app.tsx'
import { begin } from './app/begin.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html lacks #app')
root.replaceChildren() // what stood there was for the time before this module
render(<App />, root)
begin()
