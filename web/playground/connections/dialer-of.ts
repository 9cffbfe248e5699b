/** Makes the dialer of an address that the user has entered or stored. */

import { t } from '../base/i18n.ts'
import { frameDialer } from './frame.ts'
import { type HttpOptions, http } from './http.ts'
import type { Kind } from './servers.ts'
import type { Dialer } from './transport.ts'
import { webSocketDialer } from './websocket.ts'

export const schemes: Readonly<Record<Kind, readonly string[]>> = {
  http: ['https:', 'http:'],
  ws: ['wss:', 'ws:'],
  frame: ['https:', 'http:'],
}

/** The dialer, or the error of the address for the user. */
export function dialerOf(
  kind: Kind,
  address: string,
  { headers }: Pick<HttpOptions, 'headers'> = {},
): Dialer | string {
  const allowed = schemes[kind]
  if (!URL.canParse(address) || !allowed.includes(new URL(address).protocol))
    return t('connections.badUrl', { schemes: allowed.map((one) => `${one}//`).join(', ') })
  if (kind === 'ws') return webSocketDialer(address)
  if (kind === 'frame') return frameDialer(address)
  return http(address, { headers })
}
