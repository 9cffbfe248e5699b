'use client'

import { start } from 'pagemcp'
import { PageMcpProvider } from 'pagemcp/react'
import { useEffect, useState } from 'react'

export function Mcp({ children }) {
  const [mcp, setMcp] = useState()
  useEffect(() => {
    const starting = start({ name: 'notes' })
    setMcp(starting)
    return () => {
      starting.then((started) => started.close()).catch(() => {}) // the provider reports it
    }
  }, [])
  return <PageMcpProvider mcp={mcp}>{children}</PageMcpProvider>
}
