/** Recent addresses. Never a header, nor an address that contains a secret. */

import { setting } from '../base/settings.ts'
import { redactUrl } from './secrets.ts'

/** Kinds of connections to choose from. */
export const kinds = ['gateway', 'http', 'ws', 'frame', 'mcpB'] as const
export type Kind = (typeof kinds)[number]

export interface Recent {
  kind: Kind
  url: string
}

/** Number of stored addresses. */
const maxEntries = 8

/** Newest first. */
export const recent = setting<readonly Recent[]>('connections.recent', [])

/** Stores an address, unless it contains a secret. */
export function remember(kind: Kind, url: string): void {
  if (url === '' || redactUrl(url) !== url) return
  const others = recent.peek().filter((one) => one.kind !== kind || one.url !== url)
  recent.value = [{ kind, url }, ...others].slice(0, maxEntries)
}

/** Stored data may have any shape: returns the valid entries. */
export function validEntries(all: readonly unknown[]): Recent[] {
  return all.filter((one): one is Recent => {
    const { kind, url } = (one ?? {}) as Partial<Recent>
    return kinds.includes(kind as Kind) && typeof url === 'string' && URL.canParse(url)
  })
}
