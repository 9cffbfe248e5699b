/** A link of the gateway may open the playground, as it may open any page: `#pagemcp=…`. */

/**
 * Uses the invitation in the address, if there is one: removes it from the address and pairs the browser. The
 * dialog for connections shows the result.
 */
export function acceptInvitation(): void {
  if (!/[#&]pagemcp=/.test(location.hash)) return
  void import('./gateway.ts').then(({ startMonitoring }) => startMonitoring())
}
