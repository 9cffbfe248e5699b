/** The page of the fixtures, which joins the gateway beside its server, as the demos do. */

import { gatewayAddress } from '../../demo/shared/gateway.ts'
import { serveFixtures } from './fixture/serve.ts'

async function serve() {
  const mcp = await serveFixtures({ access: 'open' })
  await mcp.connect(await gatewayAddress('../../')).joined
}

serve()
