'use client'

import { start } from 'pagemcp'
import { PageMcpProvider } from 'pagemcp/react'

const mcp = start({ name: 'notes' })

export function Mcp({ children }) {
  return <PageMcpProvider mcp={mcp}>{children}</PageMcpProvider>
}
