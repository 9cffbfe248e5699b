/** Ours as it is by default: the engine in a Worker. */

import { start } from 'pagemcp'
import { firstRead, info, resource } from './first-read.ts'

const mcp = start(info)
mcp.resource(resource.uri, resource, 'answered')
void firstRead(mcp.port())
