/** Ours with the engine in the page. */

import { start } from 'pagemcp'
import { firstRead, info, resource } from './first-read.ts'

const mcp = await start({ ...info, worker: false })
mcp.resource(resource, 'answered')
void firstRead(mcp.port())
