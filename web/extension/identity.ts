/**
 * The page id of the extension. Pages store theirs in sessionStorage (src/connector.ts), which ends with the
 * document. The extension uses the same id at each start, so that its URIs at the gateway keep their prefix.
 */

const name = 'pagemcp.page' // as in src/connector.ts

const gatewaysName = 'pagemcp.gateways'

/** Addresses of the gateways that the user has confirmed. */
export function confirmedGateways(): string[] {
  const stored: unknown = JSON.parse(localStorage.getItem(gatewaysName) ?? '[]')
  return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : []
}

/** Stores that the user has confirmed this gateway: its links are used without a prompt. */
export function confirmGateway(address: string): void {
  localStorage.setItem(
    gatewaysName,
    JSON.stringify([...new Set([...confirmedGateways(), address])]),
  )
}

/** Restores the id of the last start. Call it before the engine connects. */
export function resumePage(): void {
  const id = localStorage.getItem(name)
  if (id !== null) sessionStorage.setItem(name, id)
}

/** Stores the id for the next start. */
export function keepPage(): void {
  const id = sessionStorage.getItem(name)
  if (id !== null) localStorage.setItem(name, id)
}
