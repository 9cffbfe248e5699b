/** The living world: what the in-page demo serves. */

import { type PageMcp, start } from 'pagemcp'

/** Starts the engine of this page and lets the world serve on it. */
export async function startWorld(): Promise<PageMcp> {
  const mcp = await start({
    name: 'playground',
    title: 'In-page demo',
    urls: {
      worker: new URL('worker.js', document.baseURI),
      wasm: new URL('engine.wasm', document.baseURI),
    },
  })
  let text = 'milk'
  mcp.resource({ uri: 'notes://today', name: 'Today' }, () => text)
  setTimeout(() => {
    text = 'milk, bread'
    mcp.changed('notes://today')
  }, 3000)
  return mcp
}
