/** The dialog to connect, and the traffic of the gateway: one chunk. */

export { auditEntries, maxEntries } from './audit-log.ts'
export { Connect } from './connect.tsx'
export { gatewayState, monitorStatus, startMonitoring } from './gateway.ts'
export { GatewayPage } from './gateway-page.tsx'
export { Invite } from './gateway-panel.tsx'
export { watchFromAddress } from './watch-page.ts'
