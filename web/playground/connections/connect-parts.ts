/** The dialog to connect, and the traffic of the gateway: one chunk. */

export { Connect } from './connect.tsx'
export { monitorStatus, startMonitoring } from './gateway.ts'
export { GatewayPage } from './gateway-page.tsx'
export { watchFromAddress } from './watch-page.ts'
