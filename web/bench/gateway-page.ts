/** A page that joins the gateway in its address (`?gateway=ws://…`), and serves the data of data.ts. */

import { type PageMcp, start } from 'pagemcp'
import { makeEntries, pageSize } from './data.ts'

declare global {
  interface Window {
    /** The page's name at the gateway, once it has joined. */
    joined: Promise<string>
  }
}

async function join(): Promise<string> {
  const gateway = new URLSearchParams(location.search).get('gateway') ?? ''
  const mcp: PageMcp = start({ name: 'bench', version: '1.0.0', pageSize })
  mcp.resources(
    makeEntries().map(
      ({ item, text, isPublished }) => [item, isPublished ? text : () => text] as const,
    ),
  )
  return mcp.connect(gateway).joined
}

window.joined = join()
