/** The offscreen document: runs the engine. It has no other extension API than messages. */

import { runEngine } from '../engine.ts'
import { handleMessages, request } from '../messages.ts'

const engine = runEngine({
  ended: () => request('host', 'ended', undefined),
  used: (args) => request('host', 'used', args),
  started: () => request('host', 'started', undefined),
  joined: () => request('host', 'joined', undefined),
  sharedTabs: () => request('host', 'sharedTabs', undefined),
  text: (args) => request('host', 'text', args),
})
handleMessages('engine', engine)
void request('host', 'started', undefined)
