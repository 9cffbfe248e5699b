/**
 * The gateway that the demos join: the one that `pagemcp dev` runs beside the server of these files, or else
 * the usual one. An app of your own names its gateway, or calls `webSocket()` for the usual one.
 */

import { type Connector, type JoinReason, webSocket } from 'pagemcp'

/**
 * Why a page was not joined: `other-gateway` if the link that it was opened by is an invitation of another one.
 *
 * @param error - of `connect`
 */
export const reasonOf = (
  { reason }: { reason?: JoinReason },
  { ignored }: Connector,
): JoinReason | undefined => (reason === 'not-invited' ? (ignored?.reason ?? reason) : reason)

/** @param root - where the server's files are, relative to the document */
export async function gateway(root = '../../'): Promise<Connector> {
  return webSocket(await gatewayAddress(root))
}

/** The address; `undefined`: the usual one. */
export async function gatewayAddress(root: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${root}pagemcp/config.json`, { cache: 'no-store' })
    if (!response.ok) return undefined
    return ((await response.json()) as { gateway?: string }).gateway
  } catch {
    return undefined // served by another server, without that file
  }
}
