'use client'

// Serves a text with a hook, reads it as a client does, and starts the rest of the app.

import { useMcp, useResource } from 'pagemcp/react'
import { useEffect } from 'react'
import { clientOf, fail, startMcp } from './mcp.js'

const uri = 'notes://text'

export function Served() {
  const mcp = useMcp()
  useResource(uri, { name: 'Text' }, 'rendered')
  useEffect(() => {
    if (mcp === undefined) return
    clientOf(mcp)
      .text(uri)
      .then((text) => {
        globalThis.pagemcpRendered = text
        startMcp()
      })
      .catch(fail)
  }, [mcp])
  return <p>rendered</p>
}
