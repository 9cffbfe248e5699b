/** Makes this app an MCP server: sources, tools, and the state that the page shows. */

import { type AuditEntry, idb, type JoinReason, type PageMcp, type State, start } from 'pagemcp'
import { assistantName, defineAccess } from 'pagemcp/access'
import { gatewayAddress } from '../shared/gateway.ts'
import { tag } from '../shared/language.ts'
import { type Standing, showFailure, standing } from '../shared/page.ts'
import { serveSkill } from './skill.ts'
import { texts } from './texts.ts'

export interface Serving {
  /** Announces that another tab has changed a note. */
  changedElsewhere(id: number): void
  /** Announces that another note is open. */
  opened(): void
  /** Announces that the user has checked a note off. */
  checked(id: number): void
  /** Tries to join again. */
  retry(): void
}

/** A read of the page's audit. */
export interface Read {
  uri: string
  /** For the user: of the assistant that the gateway vouches for; `undefined`: one without a name. */
  by: string | undefined
  at: Date
}

/** The URI of a note: its number is a key, so `n.` stands before it. */
export function noteUri(id: number): string {
  return `idb:///notes-app/notes/n.${id}`
}

function readOf({ allow, assistant, method, time, what }: AuditEntry): Read[] {
  if (!allow || method !== 'resources/read' || what === undefined) return []
  const by = assistant === 'unnamed' ? undefined : assistantName(assistant, tag)
  return [{ uri: what, by, at: new Date(time) }]
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
  on: {
    standing(standing: Standing, name?: string): void
    read(uri: string): void
    /** The newest first. */
    reads(all: Read[]): void
  },
): Promise<Serving> {
  let mcp: PageMcp
  try {
    mcp = start({
      name: 'notes',
      access: 'open', // a demo, wherever it is served
      title: texts.name,
      version: '1.0.0',
      instructions: texts.instructions,
    })
    await mcp.ready
  } catch (error) {
    showFailure(error)
    return { changedElsewhere() {}, opened() {}, checked() {}, retry: () => location.reload() }
  }
  mcp.mount(idb({ databases: { 'notes-app': { notes: { title: 'title' } } } })) // this store, nothing else
  mcp.resource(
    openUri,
    {
      name: 'open',
      title: texts.openNote,
      description: texts.openDescription,
      mimeType: 'text/markdown',
    },
    open,
  )
  serveSkill(mcp)
  const checked = mcp.event<{ uri: string }>('checked', { description: texts.checkedDescription })

  let reason: JoinReason | undefined
  const show = (state: State) => {
    const last = state.gateways.at(-1)
    on.standing(standing(state, reason), last?.is === 'joined' ? last.name : undefined)
  }
  mcp.on('state', show)
  mcp.on('read', ({ uri }) => on.read(uri))
  defineAccess(mcp)
  const showReads = async () => on.reads((await mcp.access.audit()).flatMap(readOf))
  mcp.on('access', showReads)
  void showReads()
  mcp.on('error', (error) => reportError(error))
  const join = () => {
    reason = undefined
    gatewayAddress().then((address) =>
      mcp.connect(address).joined.catch((error: { reason?: JoinReason }) => {
        reason = error.reason
        show(mcp.state)
      }),
    )
  }
  join()
  return {
    changedElsewhere(id) {
      mcp.changed(noteUri(id))
      mcp.changed()
    },
    opened: () => mcp.changed(openUri),
    checked: (id) => void checked.emit({ uri: noteUri(id) }),
    retry: join,
  }
}
