/** Shared by pages that only serve: the state of the gateway, and a log of requests. */

import type { GatewayState, JoinReason, PageMcp } from 'pagemcp'
import { gateway } from './gateway.ts'

/** The most lines of the log. */
const maxLines = 200

/** One line of the log, while it is not finished. */
export interface Line {
  /** Its outcome, in a word. */
  end(outcome: string): void
}

/** Shows what a page serves, and the requests it gets. */
export interface Panel {
  /** Adds a line to the log. */
  note(kind: string, name: string): Line
  /**
   * Wraps a handler so that it adds a line to the log. The error by which a handler requests input is not logged
   * as a failure.
   */
  noted<A extends unknown[], R>(
    kind: string,
    name: string,
    handler: (...args: A) => R | Promise<R>,
  ): (...args: A) => Promise<R>
}

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`index.html has no #${id}`)
  return found as T
}

export function make(tag: string, className: string, ...children: (string | Node)[]): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.append(...children)
  return made
}

/** Shows that there is no engine. */
export function showFailure(error: unknown) {
  show('failed', 'Not served', `The engine did not start: ${error}`)
}

/** Joins the gateway that opened this page, and fills the page's panel from then on. */
export function panel(mcp: PageMcp): Panel {
  const log = element('log')
  let refusal: JoinReason | undefined
  const standing = () => showStanding(mcp.state.gateways.at(-1), refusal)
  mcp.on('state', standing)
  mcp.on('error', (error) => reportError(error))
  const note = (kind: string, name: string): Line => {
    const outcome = make('span', 'outcome', '…')
    const time = document.createElement('time')
    time.textContent = new Date().toLocaleTimeString('en-GB')
    log.prepend(make('li', '', time, make('span', 'kind', kind), make('code', '', name), outcome))
    while (log.childElementCount > maxLines) log.lastElementChild?.remove()
    element('quiet').hidden = true
    return {
      end(word) {
        outcome.textContent = word
        outcome.dataset.is = word
      },
    }
  }
  mcp.on('read', ({ uri }) => note('read', uri).end('answered'))
  gateway()
    .then((connector) => mcp.connect(connector))
    .catch((error: { reason?: JoinReason }) => {
      refusal = error.reason
      standing()
    })
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
          const asks = error instanceof Error && error.name === 'NeedInputError'
          line.end(asks ? 'asks' : 'failed')
          throw error
        }
      }
    },
  }
}

function showStanding(gateway: GatewayState | undefined, refusal: JoinReason | undefined) {
  switch (gateway?.is) {
    case 'joined':
      return show('joined', `Joined as ${gateway.name}`)
    case 'away':
      return show('away', 'Gateway away', 'This page joins again as soon as the gateway is back.')
    case 'refused':
    case 'closed':
      return show(
        'unpaired',
        refusal === 'not-invited' ? 'Not paired' : 'Refused',
        'Open the link that pagemcp dev prints; press Enter there for a new one.',
      )
  }
  show('waiting', 'Looking for the gateway')
}

function show(is: string, text: string, advice = '') {
  element('state').dataset.is = is
  element('state-text').textContent = text
  element('advice').textContent = advice
  element('advice').hidden = advice === ''
}
