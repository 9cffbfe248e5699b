/** Servers that the user has connected to: addresses and names. Never a header, nor an address that contains a secret. */

import { showControlCharacters } from '../base/control-characters.ts'
import { change, type Settings, settings } from '../base/settings.ts'
import { redactUrl } from './secrets.ts'
import type { Session } from './session.ts'

/** Kinds of connections to choose from. */
export const kinds = ['http', 'ws', 'frame'] as const
export type Kind = (typeof kinds)[number]

/** A name is the user's, or the server's own. */
export type SavedServer = Settings['servers'][number]

/** Number of stored servers. */
const maxServers = 50

/** Length of a stored name. */
export const maxName = 80 // UTF-16 code units

const isSame = (a: SavedServer, b: SavedServer) => a.kind === b.kind && a.url === b.url

/** Stores a server, unless its address contains a secret. One that is stored stays in its place. */
export function saveServer(kind: Kind, url: string): void {
  if (url === '' || redactUrl(url) !== url) return
  const all = settings.peek().servers
  if (all.some((one) => isSame(one, { kind, url }))) return
  change({ servers: [{ kind, url }, ...all].slice(0, maxServers) })
}

/** Names a server; `''` removes the name. */
export function nameServer(server: SavedServer, name: string): void {
  const { kind, url } = server
  const named = { kind, url, ...(name.trim() && { name: name.trim().slice(0, maxName) }) }
  change({ servers: settings.peek().servers.map((one) => (isSame(one, server) ? named : one)) })
}

export function removeServer(server: SavedServer): void {
  change({ servers: settings.peek().servers.filter((one) => !isSame(one, server)) })
}

/** Takes the name that the server itself has, unless the user has given it one. */
export function learnName(kind: Kind, url: string, { peer }: Pick<Session, 'peer'>): void {
  peer.subscribe((found) => {
    const name = found?.title || found?.name
    const server = settings.peek().servers.find((one) => isSame(one, { kind, url }))
    if (name && server && server.name === undefined) nameServer(server, showControlCharacters(name))
  })
}

/** Stored data may have any shape: returns the valid entries. */
export function validServers(all: readonly unknown[]): SavedServer[] {
  return all.filter((one): one is SavedServer => {
    const { kind, url, name } = (one ?? {}) as Partial<SavedServer>
    const isNamed = name === undefined || typeof name === 'string'
    return isNamed && kinds.includes(kind as Kind) && typeof url === 'string' && URL.canParse(url)
  })
}
