/**
 * Keeps the newest rows of this tab across a reload, in its sessionStorage: they are shown again as earlier ones, of closed
 * connections, above a row that says so. No other tab sees them, and they end with the tab. Texts are kept as they are;
 * HTTP headers never contain secrets. An embedded playground stores nothing.
 */

import { clientName, setClientName } from '../connections/names.ts'
import type { Entry } from '../messages/entry.ts'
import { store } from '../messages/log.ts'
import { earlier } from './view.ts'

/** The item of sessionStorage. */
const key = 'pagemcp.playground.timeline'

/** The newest rows that are kept. */
const maxRows = 2000

/** Length of all their texts: browsers give a tab 5 MB. */
const maxLength = 1_000_000 // UTF-16 code units

/** Numbers of earlier connections count down from the highest, so that those of this page are 1, 2 … as ever. */
const lastConnection = 65_535

/** Rows of one page, with the names of its connections. */
interface Kept {
  names: readonly { id: number; letter: string; title: string }[]
  rows: readonly Entry[]
}

/**
 * Shows the rows of this tab's last page, and keeps those of this one when it is left. Called before the first row.
 *
 * @returns settles when all rows are shown; undefined: there are none
 */
export function restoreEarlier(): Promise<void> | undefined {
  try {
    const text = sessionStorage.getItem(key)
    sessionStorage.removeItem(key)
    addEventListener('pagehide', keep)
    return text === null ? undefined : show(JSON.parse(text) as Kept)
  } catch {
    return undefined // no storage
  }
}

async function show({ names, rows }: Kept): Promise<void> {
  const connections = new Map<number, number>()
  for (const { id, letter, title } of names) {
    const own = lastConnection - connections.size
    connections.set(id, own)
    // With a number, so that the filter `client:A` matches the current A only.
    setClientName(own, { letter: `${letter.replace(/\d+$/, '')}0`, title })
  }
  for (const [count, row] of rows.entries()) {
    store.push({ ...row, connection: connections.get(row.connection) ?? 0 })
    if (count % 200 === 199) await new Promise((resolve) => setTimeout(resolve)) // no long task
  }
  for (const connection of connections.values()) store.end(connection) // nothing more comes
  const raw = 'page reloaded: the rows above are earlier ones'
  earlier.value = store.push({ connection: 0, direction: 'world', framing: 'world', raw }) + 1
}

function keep(): void {
  const rows: Entry[] = []
  let length = 0
  for (let row = store.length - 1; row >= 0 && rows.length < maxRows; row--) {
    const raw = store.raw(row)
    length += raw.length
    if (length > maxLength) break
    rows.unshift({
      connection: store.connection(row),
      direction: store.direction(row),
      framing: store.framing(row),
      raw,
      time: store.time(row),
      http: store.http(row),
    })
  }
  const connections = new Set(rows.map(({ connection }) => connection).filter(Boolean))
  const names = [...connections].map((id) => ({ id, ...clientName(id) }))
  if (rows.length > 0) sessionStorage.setItem(key, JSON.stringify({ names, rows } satisfies Kept))
}
