/**
 * Asks the user whether an assistant may use the tools of a site, in a window of the extension: what a site shows, the site
 * could cover or click. One question at a time, for 45 s.
 */

import { type Asked, type Choice, type Questions, questions } from '../src/access/decisions.ts'
import type { Parts } from './messages.ts'
import { serialQueue } from './queue.ts'

/** What the window shows. */
export interface SiteQuestion {
  readonly asked: Asked
  readonly site: string
}

interface Shown extends SiteQuestion {
  port?: chrome.runtime.Port
  settle(choice: Choice): void
}

const choices: readonly unknown[] = ['session', 'once', 'deny', 'unshown'] satisfies Choice[]

export function siteQuestions(host: Pick<Parts['host'], 'ask' | 'mayAct'>) {
  const open = new Map<string, Questions>() // by site
  const alone = serialQueue()
  let shown: Shown | undefined

  const show = (asked: Asked, site: string, signal: AbortSignal) =>
    new Promise<Choice>((resolve) => {
      const settle = (choice: Choice) => {
        if (shown !== own) return
        shown = undefined
        own.port?.disconnect() // closes the window
        resolve(choice)
      }
      const own: Shown = { asked, site, settle }
      shown = own
      signal.addEventListener('abort', () => settle('ended'))
      if (signal.aborted) settle('ended')
      else host.ask().catch(() => settle('unshown'))
    })

  return {
    /** The questions about a site, whose third refusal of an assistant ends them until {@link leave}. */
    of(site: string): Questions {
      const made = questions({
        isVisible: () => true,
        mark() {},
        alone: (act) => act(),
        show: (asked, signal) => alone(() => show(asked, site, signal)),
        stored: () => undefined,
        async store({ assistant, tool }, choice) {
          if (choice === 'session' && !tool?.destructive) await host.mayAct({ site, assistant })
        },
        place: () => `a window of the browser extension PageMCP, about ${site}`,
        report: reportError,
      })
      const own = open.get(site) ?? made
      open.set(site, own)
      return own
    },
    /** No tab of other sites is shared any more: what was asked about them is answered. */
    leave(sites: ReadonlySet<string | undefined>) {
      for (const [site, own] of open) {
        if (sites.has(site)) continue
        open.delete(site)
        own.end()
      }
    },
    /** The window has opened. */
    connect(port: chrome.runtime.Port) {
      const own = shown
      if (own === undefined || own.port) return port.disconnect()
      own.port = port
      port.onMessage.addListener((choice) => {
        own.settle(choices.includes(choice) ? (choice as Choice) : 'dismissed')
      })
      port.onDisconnect.addListener(() => own.settle('dismissed'))
      port.postMessage({ asked: own.asked, site: own.site } satisfies SiteQuestion)
    },
  }
}
