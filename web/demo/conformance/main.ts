/** Serves the fixtures of MCP's conformance suite. */

import { type PageMcp, start } from 'pagemcp'
import { element, make, showFailure, showPage } from '../shared/page.ts'
import { panel } from '../shared/panel.ts'
import { serveAsking, serveRounds } from './asking.ts'
import { serveHooks } from './hooks.ts'
import { servePrompts } from './prompts.ts'
import { serveResources } from './resources.ts'
import { serveSkills } from './skills.ts'
import { serveTasks } from './tasks.ts'
import { texts } from './texts.ts'
import { registrar, serveTools } from './tools.ts'

showPage('conformance', texts)

function serve(mcp: PageMcp) {
  const shown = panel(mcp)
  const tools: string[] = []
  const tool = registrar(mcp, shown, tools)
  list('resources', serveResources(mcp))
  list('prompts', servePrompts(mcp, shown))
  serveTools(tool)
  serveAsking(tool)
  serveRounds(tool)
  serveTasks(tool)
  serveHooks(mcp, tool)
  list('tools', tools)
  serveSkills(mcp)
}

function list(id: string, names: readonly string[]) {
  element(id).append(...names.map((name) => make('li', '', make('code', '', name))))
}

try {
  serve(
    await start({
      name: 'conformance',
      access: 'open', // a demo, wherever it is served
      title: 'Conformance fixtures',
      version: '1.0.0',
      instructions: 'Fixtures for tests of the protocol. Nothing here is about a person.',
      capabilities: { logging: true }, // off by default; the suite of 2025-11-25 requires it
    }),
  )
} catch (error) {
  showFailure(error)
  throw error
}
