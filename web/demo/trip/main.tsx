/** Starts the engine, and renders the components that use it. */

import { start } from 'pagemcp'
import { PageMcpProvider } from 'pagemcp/react'
import { createRoot } from 'react-dom/client'
import { element, showFailure, showPage } from '../shared/page.ts'
import { panel, showQuestion } from '../shared/panel.ts'
import { serveSkill } from './skill.ts'
import { texts } from './texts.ts'
import { Trip } from './trip.tsx'

showPage('trip', texts)
showQuestion(texts.question)

try {
  const mcp = start({ name: 'trip', title: texts.name, access: 'open', webMcp: true })
  await mcp.ready
  serveSkill(mcp)
  const { noted } = panel(mcp)
  createRoot(element('app')).render(
    <PageMcpProvider mcp={mcp}>
      <Trip noted={noted} />
    </PageMcpProvider>,
  )
} catch (error) {
  showFailure(error)
}
