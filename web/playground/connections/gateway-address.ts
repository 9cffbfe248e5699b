/**
 * The address of the playground's gateway, for its pages: from `pagemcp dev` if it serves the playground, else
 * the default. It never comes from a link.
 */

import { defaultGateway } from 'pagemcp'

let known: Promise<string> | undefined

export function gatewayAddress(): Promise<string> {
  known ??= ask()
  return known
}

async function ask(): Promise<string> {
  try {
    const response = await fetch(new URL('../pagemcp/config.json', document.baseURI), {
      cache: 'no-store',
    })
    if (!response.ok) return defaultGateway
    const { gateway } = (await response.json()) as { gateway?: unknown }
    return typeof gateway === 'string' ? gateway : defaultGateway
  } catch {
    return defaultGateway // no such file, or no network
  }
}
