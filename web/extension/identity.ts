/**
 * Who the engine is to gateways. Of a tab that is kept in sessionStorage (src/page-id.ts), which ends
 * with this document; the extension is the same page at each start, so that the URIs of what it
 * serves keep their prefix.
 */

const name = 'pagemcp.page' // as in src/page-id.ts

const gatewaysName = 'pagemcp.gateways'

/** Addresses of the gateways that the user has confirmed. */
export function confirmedGateways(): string[] {
  const kept: unknown = JSON.parse(localStorage.getItem(gatewaysName) ?? '[]')
  return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : []
}

/** The user has confirmed this gateway: its links are taken without asking. */
export function confirmGateway(address: string): void {
  localStorage.setItem(
    gatewaysName,
    JSON.stringify([...new Set([...confirmedGateways(), address])]),
  )
}

/** Takes the id of the last start. To be called before the engine connects. */
export function resumePage(): void {
  const id = localStorage.getItem(name)
  if (id !== null) sessionStorage.setItem(name, id)
}

/** Keeps the id for the next start. */
export function keepPage(): void {
  const id = sessionStorage.getItem(name)
  if (id !== null) localStorage.setItem(name, id)
}
