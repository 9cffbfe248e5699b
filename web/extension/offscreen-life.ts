/** Starts and stops the offscreen document, which keeps running when the service worker stops. There is at most one. */

import { request } from './messages.ts'
import { serialQueue } from './queue.ts'

const page = 'offscreen.html'

/** The timeout of the engine's last messages. */
const stopTimeout = 2000 // ms

/** The switch may be used again while the engine stops. */
const enqueue = serialQueue()

export async function engineRuns(): Promise<boolean> {
  const contexts = await chrome.runtime.getContexts({
    contextTypes: [chrome.runtime.ContextType.OFFSCREEN_DOCUMENT],
  })
  return contexts.length > 0
}

/** Starts the engine unless it runs. */
export function startEngine(): Promise<void> {
  return enqueue(async () => {
    if (await engineRuns()) return
    await chrome.offscreen.createDocument({
      url: page,
      reasons: [chrome.offscreen.Reason.WORKERS],
      justification: 'The MCP engine runs in a Worker, which holds the connection to the gateway.',
    })
  })
}

/** Ends the engine: subscriptions with a result, the connection with a close. */
export function stopEngine(): Promise<void> {
  return enqueue(async () => {
    if (!(await engineRuns())) return
    await request('offscreen', 'stop', undefined, stopTimeout).catch(() => {}) // then without last messages
    await chrome.offscreen.closeDocument()
  })
}
