/**
 * Chromium: the background is a service worker, which cannot run a Worker and is stopped when it is idle. The engine
 * runs in an offscreen document, which stays.
 */

import { type Platform, stopTimeout } from '../engine-host.ts'
import { handleMessages, remote, within } from '../messages.ts'
import { serialQueue } from '../queue.ts'

export const engineHost: Platform['engineHost'] = (host) => {
  const enqueue = serialQueue() // the switch may be used again while the engine stops
  const engine = remote('engine')
  handleMessages('host', host)
  const running = async () => {
    const contexts = await chrome.runtime.getContexts({
      contextTypes: [chrome.runtime.ContextType.OFFSCREEN_DOCUMENT],
    })
    return contexts.length > 0 ? engine : undefined
  }
  return {
    running,
    start: () =>
      enqueue(async () => {
        if (await running()) return
        await chrome.offscreen.createDocument({
          url: 'offscreen.html',
          reasons: [chrome.offscreen.Reason.WORKERS],
          justification:
            'The MCP engine runs in a Worker, which holds the connection to the gateway.',
        })
      }),
    stop: () =>
      enqueue(async () => {
        if (!(await running())) return
        await within(engine.stop(), stopTimeout).catch(() => {}) // then without last messages
        await chrome.offscreen.closeDocument()
      }),
  }
}

export const permissionFor: Platform['permissionFor'] = (site) => ({ origins: [`${site}/*`] })

export const restrictStorage: Platform['restrictStorage'] = () => {
  void chrome.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' })
}
