/** The page of the demo of the conformance suite's fixtures, joined with tokens of the app. */

import { start, webSocket } from 'pagemcp'
import { serveAsking, serveRounds } from '../../demo/conformance/asking.ts'
import { serveHooks } from '../../demo/conformance/hooks.ts'
import { servePrompts } from '../../demo/conformance/prompts.ts'
import { serveResources } from '../../demo/conformance/resources.ts'
import { serveSkills } from '../../demo/conformance/skills.ts'
import { serveTasks } from '../../demo/conformance/tasks.ts'
import { registrar, serveTools } from '../../demo/conformance/tools.ts'
import type { Panel } from '../../demo/shared/panel.ts'

/** The demo shows requests; this page does not. */
const panel: Panel = {
  note: () => ({ end() {} }),
  noted:
    (_, __, handler) =>
    async (...args) =>
      handler(...args),
}

async function serve() {
  const { gateway } = await (await fetch('/demo.json')).json()
  const mcp = await start({
    name: 'conformance',
    title: 'Conformance fixtures',
    version: '1.0.0',
    instructions: 'Fixtures for tests of the protocol. Nothing here is about a person.',
    capabilities: { logging: true },
  })
  // protocol_error_job answers with what its schema does not allow, and the official suite requires a schema that APIs of
  // models refuse: errors for the developer.
  mcp.on('error', (error) => {
    if (!['OutputError', 'SchemaWarning'].includes((error as Error).name)) reportError(error)
  })
  const tool = registrar(mcp, panel, [])
  serveResources(mcp)
  servePrompts(mcp, panel)
  serveTools(tool)
  serveAsking(tool)
  serveRounds(tool)
  serveTasks(tool)
  serveHooks(mcp, tool)
  serveSkills(mcp)
  const state = document.getElementById('state')
  mcp.on('state', () => {
    const own = mcp.state.gateways.at(-1)
    Object.assign(state?.dataset ?? {}, { is: own?.is, name: own?.is === 'joined' ? own.name : '' })
  })
  const token = async () => (await fetch('/pagemcp-token', { method: 'POST' })).text()
  await mcp.connect(webSocket(gateway, { token })).joined
}

serve()
