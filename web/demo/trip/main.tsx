/** Starts the engine, and renders the components that use it. */

import { start } from 'pagemcp'
import { PageMcpProvider } from 'pagemcp/react'
import { createRoot } from 'react-dom/client'
import { element, panel, showFailure } from '../shared/panel.ts'
import { Trip } from './trip.tsx'

try {
  const mcp = await start({ name: 'trip', title: 'Trip' })
  const { noted } = panel(mcp)
  createRoot(element('app')).render(
    <PageMcpProvider mcp={mcp}>
      <Trip noted={noted} />
    </PageMcpProvider>,
  )
} catch (error) {
  showFailure(error)
}
