/** The page of the conformance suite's fixtures, joined with tokens of the app. */

import { serveFixtures } from '../conformance/fixture/serve.ts'

async function serve() {
  const { gateway } = await (await fetch('/demo.json')).json()
  const mcp = await serveFixtures()
  const token = async () => (await fetch('/pagemcp-token', { method: 'POST' })).text()
  await mcp.connect(gateway, { token }).joined
}

serve()
