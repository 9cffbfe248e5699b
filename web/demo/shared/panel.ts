/** Shared by the demos: joins the gateway, shows its state, and keeps a log of requests. */

import type { JoinReason, PageMcp } from 'pagemcp'
import { gatewayAddress } from './gateway.ts'
import { tag } from './language.ts'
import { element, make, shared, showStanding, standing } from './page.ts'

/** The most lines of the log. */
const maxLines = 200

/** One line of the log, while it is not finished. */
export interface Line {
  end(outcome: keyof typeof shared.outcome): void
}

/** Shows what a page serves, and the requests it gets. */
export interface Panel {
  /** Adds a line to the log. */
  note(kind: keyof typeof shared.kind, name: string): Line
  /**
   * Wraps a handler so that it adds a line to the log. The error by which a handler requests input is not logged
   * as a failure.
   */
  noted<A extends unknown[], R>(
    kind: keyof typeof shared.kind,
    name: string,
    handler: (...args: A) => R | Promise<R>,
  ): (...args: A) => Promise<R>
}

/**
 * Joins the gateway that opened this page, and fills the page's panel from then on.
 *
 * @param nameOf - the text that stands for a URI in the log; default: the URI
 */
export function panel(mcp: PageMcp, nameOf?: (uri: string) => string | undefined): Panel {
  const log = element('log')
  let refusal: JoinReason | undefined
  const show = () => {
    const gateway = mcp.state.gateways.at(-1)
    showStanding(standing(mcp.state, refusal), gateway?.is === 'joined' ? gateway.name : undefined)
    const retry = document.getElementById('retry')
    if (retry) retry.hidden = gateway?.is !== 'refused' && gateway?.is !== 'closed'
  }
  mcp.on('state', show)
  mcp.on('error', (error) => reportError(error))
  const note: Panel['note'] = (kind, name) => {
    const outcome = make('span', 'outcome', '…')
    const time = document.createElement('time')
    time.textContent = new Date().toLocaleTimeString(tag)
    const known = nameOf?.(name)
    const shown = known === undefined ? make('code', '', name) : make('span', 'what', known)
    shown.title = name
    log.prepend(make('li', '', shown, time, make('span', 'kind', shared.kind[kind]), outcome))
    while (log.childElementCount > maxLines) log.lastElementChild?.remove()
    element('quiet').hidden = true
    return {
      end(is) {
        outcome.textContent = shared.outcome[is]
        outcome.dataset.is = is
      },
    }
  }
  mcp.on('read', ({ uri }) => note('read', uri).end('answered'))
  const join = () => {
    refusal = undefined
    gatewayAddress().then((address) =>
      mcp.connect(address).joined.catch(({ reason }: { reason?: JoinReason }) => {
        refusal = reason
        show()
      }),
    )
  }
  document.getElementById('retry')?.addEventListener('click', join)
  join()
  return {
    note,
    noted(kind, name, handler) {
      return async (...args) => {
        const line = note(kind, name)
        try {
          const answer = await handler(...args)
          line.end('answered')
          return answer
        } catch (error) {
          line.end('failed')
          throw error
        }
      }
    },
  }
}

/** Writes the question that a demo suggests to ask an assistant. */
export function showQuestion(question: string): void {
  element('quiet').replaceChildren(
    make('p', '', shared.nothing),
    make(
      'p',
      '',
      shared.connectAndAsk.replace('{question}', () => question),
    ),
  )
}
