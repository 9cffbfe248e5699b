/** What assistants can read of this browser now, for the headline of the popup. */

import type { Overview } from './messages.ts'

export type Standing = ReturnType<typeof standingOf>

/**
 * `stopped`: by the switch. `failed`: the engine does not run. `searching`: for the gateway. `away`: the gateway does not
 * run, or cannot be reached. `unpaired`: the user has not connected one. `paused`: all assistants. `nothing`: no tab is
 * ticked. `tabs`: some are.
 */
export function standingOf({
  on,
  tabs,
  status: { failure, gateway, pausedUntil },
}: Pick<Overview, 'on' | 'tabs' | 'status'>) {
  if (!on) return 'stopped'
  if (failure !== undefined) return 'failed'
  switch (gateway?.is) {
    case 'joined':
      if (pausedUntil !== undefined) return 'paused'
      return tabs.some(({ shared }) => shared) ? 'tabs' : 'nothing'
    case 'away':
      return 'away'
    case 'connecting':
      return gateway.error === undefined ? 'searching' : 'away' // it goes on trying
  }
  return 'unpaired'
}
