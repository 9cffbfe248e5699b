/** The TypeScript SDK v1. */

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ReadResourceRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { capabilities, contents, firstRead, info } from './first-read.ts'
import { transport } from './transport.ts'

const { port1, port2 } = new MessageChannel()
const server = new Server(info, { capabilities })
server.setRequestHandler(ReadResourceRequestSchema, () => contents)
void server.connect(transport(port2) as Transport)
void firstRead(port1)
