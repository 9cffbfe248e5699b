/** Messages that belong to an MCP app: reads of `ui://` resources, and calls of tools that have one. */

import { type Signal, signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { catalogue } from '../connections/catalogue.ts'
import { sessions } from '../connections/clients.ts'
import type { Session } from '../connections/session.ts'
import { store } from '../messages/log.ts'
import { isObject, type Params } from '../protocol/revisions.ts'

export interface FoundApp {
  session: Session
  /** Of its resource. */
  uri: string
  /** The tool whose call is shown. */
  tool?: Params
}

/** The open app, which Inspect shows with its result. It runs on while another message is inspected. */
export interface OpenApp {
  /** The result that it was opened for. */
  row: number
  View: ComponentType<{ hidden: boolean }>
}

export const openApp: Signal<OpenApp | undefined> = signal(undefined)

/** The resource of a tool, in the form of 2026-01-26 or the one before it. */
function resourceOf({ _meta }: Params): string {
  const meta = isObject(_meta) ? _meta : {}
  const uri = (isObject(meta.ui) ? meta.ui.resourceUri : undefined) ?? meta['ui/resourceUri']
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : ''
}

/** The app of a result in the timeline; undefined: it has none, or its connection is closed. */
export function appOf(row: number | undefined): FoundApp | undefined {
  if (row === undefined || row >= store.length || store.kind(row) !== 'result') return undefined
  const method = store.method(row)
  const target = store.target(row)
  if (method !== 'resources/read' && method !== 'tools/call') return undefined
  const session = sessions.peek().find(({ connection }) => connection.id === store.connection(row))
  if (!session || session.connection.dialer.readOnly) return undefined
  if (method === 'resources/read')
    return target.startsWith('ui://') ? { session, uri: target } : undefined
  const tool = catalogue(session)
    .lists.tools.peek()
    .items.map((one) => one as unknown as Params)
    .find(({ name }) => name === target)
  const uri = tool ? resourceOf(tool) : ''
  return uri ? { session, uri, tool } : undefined
}
