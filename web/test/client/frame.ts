/** Bundled into a frame: the real clients of both SDKs, on the transport of the built package. */

import { Client as ModernClient } from '@modelcontextprotocol/client'
import { Client as ClassicClient } from '@modelcontextprotocol/sdk/client/index.js'
import type * as client from '../../src/client.ts'

const { pageTransport } = (await import('/pagemcp/client.js' as string)) as typeof client

const info = { name: 'frame', version: '1.0.0' }
const query = new URLSearchParams(location.search)
const origin = query.get('host') ?? ''
const timeout = Number(query.get('timeout'))
const uri = 'notes://cart'
// At once: those that get no answer wait for all of their timeout.
const answers: unknown[] = await Promise.all(
  [new ClassicClient(info), new ModernClient(info)].map(async (made) => {
    try {
      await made.connect(pageTransport(parent, { origin, timeout }))
      const { contents } = await made.readResource({ uri })
      await made.close()
      return (contents[0] as { text?: string }).text
    } catch (error) {
      return (error as Error).name
    }
  }),
)
// Nothing answers in this window: a transport that is closed while it waits ends its start.
const waiting = pageTransport(window, { origin: location.origin })
const starting = waiting.start().catch((error: Error) => error.name)
await waiting.close()
answers.push(await starting)
parent.postMessage({ answers }, '*')
