/** Where one has been connected to, for the next time. Never a header, nor an address with a secret in it. */

import { setting } from '../base/settings.ts'
import { redactUrl } from './secrets.ts'

/** What a person chooses between. */
export const kinds = ['gateway', 'http', 'ws', 'frame', 'mcpB'] as const
export type Kind = (typeof kinds)[number]

export interface Recent {
  kind: Kind
  url: string
}

/** How many are kept. */
const maxEntries = 8

/** The last one first. */
export const recent = setting<readonly Recent[]>('connections.recent', [])

/** Keeps an address, unless there is a secret in it. */
export function remember(kind: Kind, url: string): void {
  if (url === '' || redactUrl(url) !== url) return
  const others = recent.peek().filter((one) => one.kind !== kind || one.url !== url)
  recent.value = [{ kind, url }, ...others].slice(0, maxEntries)
}

/** What is stored may be anything: only what is of its shape is shown. */
export function validEntries(all: readonly unknown[]): Recent[] {
  return all.filter((one): one is Recent => {
    const { kind, url } = (one ?? {}) as Partial<Recent>
    return kinds.includes(kind as Kind) && typeof url === 'string' && URL.canParse(url)
  })
}
