/** The offscreen document: it lives on when the service worker sleeps. There is at most one. */

import { ask } from './messages.ts'
import { turns } from './turns.ts'

const page = 'offscreen.html'

/** How long the engine may take to say goodbye. */
const goodbyePatience = 2000 // ms

/** The switch may be thrown again while the engine is saying goodbye. */
const inTurn = turns()

export async function engineRuns(): Promise<boolean> {
  const contexts = await chrome.runtime.getContexts({
    contextTypes: [chrome.runtime.ContextType.OFFSCREEN_DOCUMENT],
  })
  return contexts.length > 0
}

/** Starts the engine unless it runs. */
export function startEngine(): Promise<void> {
  return inTurn(async () => {
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
  return inTurn(async () => {
    if (!(await engineRuns())) return
    await ask('offscreen', 'stop', undefined, goodbyePatience).catch(() => {}) // then without goodbye
    await chrome.offscreen.closeDocument()
  })
}
