/** The offscreen document: runs the engine. It has no other extension API than messages. */

import { runEngine } from '../engine.ts'
import { handleMessages, remote } from '../messages.ts'

const host = remote('host')
handleMessages('engine', runEngine(host))
void host.started()
