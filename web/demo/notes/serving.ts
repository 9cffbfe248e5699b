/** Makes this app an MCP server: sources, tools, and the state that the page shows. */

import { idb, type JoinReason, type PageMcp, type State, start } from 'pagemcp'
import { gateway } from '../shared/gateway.ts'

/** The state of the connection, as the page shows it. */
export interface Standing {
  is: 'starting' | 'waiting' | 'joined' | 'away' | 'unpaired' | 'failed'
  /** A short text. */
  text: string
  /** What the user can do, if anything. */
  advice?: { title: string; text: string }
}

export interface Serving {
  /** Announces that another tab has changed a note. */
  changedElsewhere(id: number): void
  /** Announces that another note is open. */
  opened(): void
  /** Tries to join again. */
  retry(): void
}

/** The URI of a note: its number is a key, so `n.` stands before it. */
export function noteUri(id: number): string {
  return `idb:///notes-app/notes/n.${id}`
}

/** The number of the note that a URI names. */
export function noteOf(uri: string): number | undefined {
  const number = /^idb:\/\/\/notes-app\/notes\/n\.(\d+)$/.exec(uri)?.[1]
  return number === undefined ? undefined : Number(number)
}

export const openUri = 'notes://open'

/**
 * Serves the notes and joins the gateway that this page was opened by.
 *
 * @param open - the text of the note that is open
 */
export async function serveNotes(
  open: () => string,
  on: { standing(standing: Standing): void; read(uri: string, client: string): void },
): Promise<Serving> {
  let mcp: PageMcp
  try {
    mcp = await start({
      name: 'notes',
      title: 'Notes',
      version: '1.0.0',
      instructions:
        'Notes of the person at this browser. Each note is a resource; read before you quote.',
    })
  } catch (error) {
    on.standing({
      is: 'failed',
      text: 'Not served',
      advice: { title: 'The engine did not start.', text: String(error) },
    })
    return { changedElsewhere() {}, opened() {}, retry: () => location.reload() }
  }
  mcp.mount('', idb({ databases: { 'notes-app': { notes: { title: 'title' } } } })) // this store, nothing else
  mcp.resource(
    {
      uri: openUri,
      name: 'open',
      title: 'The open note',
      description: 'What is on the screen right now.',
      mimeType: 'text/markdown',
    },
    open,
  )

  let reason: JoinReason | undefined
  const show = (state: State) => on.standing(standing(state, reason))
  mcp.on('state', show)
  mcp.on('read', ({ uri, client }) => on.read(uri, client))
  mcp.on('error', (error) => reportError(error))
  const join = () => {
    reason = undefined
    gateway()
      .then((connector) => mcp.connect(connector))
      .catch((error: { reason?: JoinReason }) => {
        reason = error.reason
        show(mcp.state)
      })
  }
  join()
  return {
    changedElsewhere(id) {
      mcp.changed(noteUri(id))
      mcp.changed()
    },
    opened: () => mcp.changed(openUri),
    retry: join,
  }
}

function standing({ engine, gateways }: State, reason: JoinReason | undefined): Standing {
  const gateway = gateways.at(-1)
  if (engine === 'restarting') return { is: 'starting', text: 'Starting' }
  if (engine !== 'running') {
    const text = 'Reload the page; if that does not help, the console says more.'
    return { is: 'failed', text: 'Not served', advice: { title: 'The engine has stopped.', text } }
  }
  switch (gateway?.is) {
    case 'joined':
      return { is: 'joined', text: `Joined as ${gateway.name}` }
    case 'away':
      return {
        is: 'away',
        text: 'Gateway away',
        advice: {
          title: 'The gateway does not answer.',
          text: 'This page joins again as soon as it is back. Is pagemcp dev still running?',
        },
      }
    case 'refused':
    case 'closed':
      return { is: 'unpaired', text: 'Not paired', advice: pairingAdvice(reason, gateway.error) }
    default:
      return { is: 'waiting', text: 'Looking for the gateway' }
  }
}

function pairingAdvice(
  reason: JoinReason | undefined,
  error = '',
): { title: string; text: string } {
  switch (reason) {
    case 'not-invited':
      return {
        title: 'Assistants cannot see these notes yet.',
        text: 'Open this page from the start page whose link pagemcp dev prints in the terminal.',
      }
    case 'refused':
      return {
        title: 'The link has expired, or was used before.',
        text: 'Press Enter in the terminal where pagemcp dev runs, and open the new link.',
      }
    default:
      return { title: 'This page could not join.', text: error }
  }
}
