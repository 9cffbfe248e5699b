/**
 * The lists of a server: fetched a page at a time, the first after the handshake, and again when the server
 * notifies that a list changed.
 */

import { effect, type Signal, signal } from '@preact/signals'
import { isModern, type Params } from '../protocol/revisions.ts'
import { hasValidHeaders } from './http-headers.ts'
import type { Peer, Session } from './session.ts'

export interface Icon {
  src: string
  mimeType?: string
  sizes?: string[]
  theme?: string
}

/** Members of resources, templates, prompts and tools. All are untrusted text of the server. */
interface Described {
  name: string
  title?: string
  description?: string
  icons?: Icon[]
}

export interface Annotations {
  audience?: string[]
  priority?: number
  lastModified?: string
}

export interface Resource extends Described {
  uri: string
  mimeType?: string
  size?: number
  annotations?: Annotations
}

export interface Template extends Described {
  uriTemplate: string
  mimeType?: string
  annotations?: Annotations
}

export interface Prompt extends Described {
  arguments?: { name: string; title?: string; description?: string; required?: boolean }[]
}

export interface Tool extends Described {
  inputSchema: Params
  outputSchema?: Params
}

/** An entry of skills/list (SEP-2640). */
export interface Skill {
  /** Of its SKILL.md. */
  uri: string
  frontmatter?: Params
  /** Its files, or `dynamic`. */
  resources?: { uri: string; digest?: string; size?: number }[] | 'dynamic'
}

/** One list. */
export interface Listed<T> {
  items: readonly T[]
  /** `none`: not requested yet, or the server does not have the list. */
  state: 'none' | 'loading' | 'there' | 'failed'
  /** Cursor of the next page; undefined: the list is complete. */
  cursor?: string
  /** The server's error message. */
  error?: string
  /** ms since 1970 at which the list is stale (`ttlMs`); undefined: unknown. */
  staleAt?: number
}

interface Kinds {
  resources: Resource
  templates: Template
  prompts: Prompt
  tools: Tool
  skills: Skill
}

export type ListKind = keyof Kinds

const methods = {
  resources: { method: 'resources/list', member: 'resources', capability: 'resources' },
  templates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    capability: 'resources',
  },
  prompts: { method: 'prompts/list', member: 'prompts', capability: 'prompts' },
  tools: { method: 'tools/list', member: 'tools', capability: 'tools' },
  // Skills are resources: the same notification announces changes.
  skills: { method: 'skills/list', member: 'skills', capability: 'resources' },
} as const

export const listKinds = Object.keys(methods) as ListKind[]

export interface Catalogue {
  readonly lists: { readonly [K in ListKind]: Signal<Listed<Kinds[K]>> }
  /** Requests a list from its first page. */
  reload(kind: ListKind): Promise<void>
  /** Requests the next page. */
  more(kind: ListKind): Promise<void>
}

/** Whether a server has the extension Skills. */
export const hasSkills = (peer: Peer | undefined): boolean =>
  (peer?.capabilities.extensions as Params | undefined)?.['io.modelcontextprotocol/skills'] !==
  undefined

/** Tools that can be called: over HTTP, those whose declared headers are valid. Others are noted in the timeline. */
function callable({ connection, revision }: Session, tools: readonly Tool[]): readonly Tool[] {
  if (connection.dialer.kind !== 'http' || !isModern(revision.peek())) return tools
  return tools.filter(({ name, inputSchema }) => {
    const isValid = hasValidHeaders(inputSchema)
    if (!isValid)
      connection.note(`left out the tool ${JSON.stringify(name)}: its x-mcp-header is not valid`)
    return isValid
  })
}

const known = new WeakMap<Session, Catalogue>()

/** The catalogue of a session; the same for the same session. */
export function catalogue(session: Session): Catalogue {
  const made = known.get(session)
  if (made) return made
  const lists = {
    resources: signal<Listed<Resource>>({ items: [], state: 'none' }),
    templates: signal<Listed<Template>>({ items: [], state: 'none' }),
    prompts: signal<Listed<Prompt>>({ items: [], state: 'none' }),
    tools: signal<Listed<Tool>>({ items: [], state: 'none' }),
    skills: signal<Listed<Skill>>({ items: [], state: 'none' }),
  }
  const turns: Record<ListKind, number> = {
    resources: 0,
    templates: 0,
    prompts: 0,
    tools: 0,
    skills: 0,
  }

  const load = async (kind: ListKind, cursor?: string) => {
    const list = lists[kind] as Signal<Listed<unknown>>
    const { method, member } = methods[kind]
    const turn = ++turns[kind] // responses of earlier loads are ignored
    const before = cursor === undefined ? [] : list.peek().items
    list.value = { ...list.peek(), state: 'loading', error: undefined }
    const { result, error } = await session.request(
      method,
      cursor === undefined ? undefined : { cursor },
    )
    // Drawing a list is a task of its own: parsing a long one takes long enough, and other responses may wait.
    await new Promise((resolve) => setTimeout(resolve))
    if (turn !== turns[kind]) return
    if (result === undefined) {
      list.value = { items: before, state: 'failed', error: error?.message ?? '' }
      return
    }
    const all = Array.isArray(result[member]) ? (result[member] as unknown[]) : []
    const found = all.filter((one) => typeof one === 'object' && one !== null)
    list.value = {
      items: [...before, ...(kind === 'tools' ? callable(session, found as Tool[]) : found)],
      state: 'there',
      cursor: typeof result.nextCursor === 'string' ? result.nextCursor : undefined,
      staleAt: typeof result.ttlMs === 'number' ? Date.now() + result.ttlMs : undefined,
    }
  }

  const has = (kind: ListKind) => {
    const peer = session.peer.peek()
    if (kind === 'skills') return hasSkills(peer)
    return peer?.capabilities[methods[kind].capability] !== undefined
  }

  effect(() => {
    const peer = session.peer.value
    for (const kind of listKinds) {
      if (peer && has(kind)) load(kind)
      else (lists[kind] as Signal<Listed<unknown>>).value = { items: [], state: 'none' }
    }
  })
  let counts = session.listChanged.peek()
  session.listChanged.subscribe((next) => {
    const changed = listKinds.filter((kind) => {
      const list = methods[kind].capability
      return next[list] !== counts[list] && has(kind)
    })
    counts = next
    for (const kind of changed) load(kind)
  })

  const fresh: Catalogue = {
    lists,
    reload: (kind) => load(kind),
    async more(kind) {
      const { cursor } = lists[kind].peek()
      if (cursor !== undefined) await load(kind, cursor)
    },
  }
  known.set(session, fresh)
  return fresh
}
