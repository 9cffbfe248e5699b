/** Opens the page "Check a server" with the address of the active client's server, if it has one. */

import { active } from './clients.ts'

export function openCheck(): void {
  const { kind, url } = active.peek()?.connection.dialer ?? {}
  const page = new URL('check/', document.baseURI)
  if (url && (kind === 'http' || kind === 'ws')) page.searchParams.set('server', url)
  open(page, '_blank', 'noopener')
}
