'use client'

import { start } from 'pagemcp'
import { PageMcpProvider } from 'pagemcp/react'
import { useEffect, useState } from 'react'

export function Mcp({ children }) {
  const [mcp, setMcp] = useState()
  useEffect(() => {
    const leaving = new AbortController()
    start({ name: 'shop' }).then((started) => {
      leaving.signal.addEventListener('abort', () => started.close())
      if (leaving.signal.aborted) started.close()
      else setMcp(started)
    }, reportError)
    return () => leaving.abort()
  }, [])
  return <PageMcpProvider mcp={mcp}>{children}</PageMcpProvider>
}
