/** The offscreen document: it lives on when the service worker sleeps. There is at most one. */

import { ask } from './messages.ts'

const page = 'offscreen.html'

/** How long the engine may take to say goodbye. */
const goodbyePatience = 2000 // ms

let starting: Promise<void> | undefined

export async function engineRuns(): Promise<boolean> {
  const contexts = await chrome.runtime.getContexts({
    contextTypes: [chrome.runtime.ContextType.OFFSCREEN_DOCUMENT],
  })
  return contexts.length > 0
}

/** Starts the engine unless it runs. */
export async function startEngine(): Promise<void> {
  starting ??= start().finally(() => {
    starting = undefined
  })
  await starting
}

async function start(): Promise<void> {
  if (await engineRuns()) return
  await chrome.offscreen.createDocument({
    url: page,
    reasons: [chrome.offscreen.Reason.WORKERS],
    justification: 'The MCP engine runs in a Worker, which holds the connection to the gateway.',
  })
}

/** Ends the engine: subscriptions with a result, the connection with a close. */
export async function stopEngine(): Promise<void> {
  await starting?.catch(() => {}) // it did not start
  if (!(await engineRuns())) return
  await ask('offscreen', 'stop', undefined, goodbyePatience).catch(() => {}) // then without goodbye
  await chrome.offscreen.closeDocument()
}
