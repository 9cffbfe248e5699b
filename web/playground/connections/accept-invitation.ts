/** A gateway's link may lead to the playground, as it may lead to any page: `#pagemcp=…`. */

/**
 * Uses the invitation in the address, if there is one: it is taken out of the address, and the browser
 * is paired. What comes of it, the dialog for connections shows.
 */
export function acceptInvitation(): void {
  if (!/[#&]pagemcp=/.test(location.hash)) return
  void import('./gateway.ts').then(({ startMonitoring }) => startMonitoring())
}
