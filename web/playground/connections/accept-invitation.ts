/** A link of the gateway may open the playground, as it may open any page: `#pagemcp=…`. */

import { part } from '../base/part.ts'
import { show } from '../base/state.ts'

/**
 * Uses the invitation in the address, if there is one: removes it from the address and pairs the browser. If that
 * fails, the page of the gateway says why.
 */
export function acceptInvitation(): void {
  if (!/[#&]pagemcp=/.test(location.hash)) return
  void part(import('./connect-parts.ts')).then(async ({ monitorStatus, startMonitoring }) => {
    await startMonitoring()
    if (monitorStatus.peek().is !== 'failed') return
    show({ front: 'gateway', pane: 'compose' })
  })
}
