/**
 * Chromium: the background is a service worker, which cannot run a Worker and is stopped when it is idle. The engine
 * runs in an offscreen document, which stays.
 */

import { noEngine, type Platform, statusTimeout, stopTimeout } from '../engine-host.ts'
import { handleMessages, notify, request } from '../messages.ts'
import { serialQueue } from '../queue.ts'

const page = 'offscreen.html'

async function engineRuns(): Promise<boolean> {
  const contexts = await chrome.runtime.getContexts({
    contextTypes: [chrome.runtime.ContextType.OFFSCREEN_DOCUMENT],
  })
  return contexts.length > 0
}

export const engineHost: Platform['engineHost'] = (host) => {
  const enqueue = serialQueue() // the switch may be used again while the engine stops
  handleMessages('host', host)
  return {
    start: () =>
      enqueue(async () => {
        if (await engineRuns()) return
        await chrome.offscreen.createDocument({
          url: page,
          reasons: [chrome.offscreen.Reason.WORKERS],
          justification:
            'The MCP engine runs in a Worker, which holds the connection to the gateway.',
        })
      }),
    stop: () =>
      enqueue(async () => {
        if (!(await engineRuns())) return
        await request('engine', 'stop', undefined, stopTimeout).catch(() => {}) // then without last messages
        await chrome.offscreen.closeDocument()
      }),
    async status() {
      if (!(await engineRuns())) return noEngine
      return request('engine', 'status', undefined, statusTimeout)
    },
    join: (link) => request('engine', 'join', { link }),
    access: (change) => request('engine', 'access', change),
    tabs: (tabs, loaded) => notify('engine', 'tabs', { tabs, loaded }),
  }
}

export const permissionFor: Platform['permissionFor'] = (site) => ({ origins: [`${site}/*`] })

export const restrictStorage: Platform['restrictStorage'] = () => {
  void chrome.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' })
}
