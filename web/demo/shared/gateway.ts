/**
 * The gateway that the demos join: the one that `pagemcp dev` runs beside the server of these files, or else
 * the usual one. An app of your own names its gateway, or calls `connect()` for the usual one.
 */

/**
 * The address; `undefined`: the usual one.
 *
 * @param root - where the server's files are, relative to the document
 */
export async function gatewayAddress(root = '../../'): Promise<string | undefined> {
  try {
    const response = await fetch(`${root}pagemcp/config.json`, { cache: 'no-store' })
    if (!response.ok) return undefined
    return ((await response.json()) as { gateway?: string }).gateway
  } catch {
    return undefined // served by another server, without that file
  }
}
