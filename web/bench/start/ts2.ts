/** The TypeScript SDK v2. */

import { Server, type Transport } from '@modelcontextprotocol/server'
import { capabilities, contents, firstRead, info } from './first-read.ts'
import { transport } from './transport.ts'

const { port1, port2 } = new MessageChannel()
const server = new Server(info, { capabilities })
server.setRequestHandler('resources/read', () => contents)
void server.connect(transport(port2) as Transport)
void firstRead(port1)
