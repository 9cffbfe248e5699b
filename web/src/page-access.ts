/**
 * Who may use this page, as the window decides: loads access/decisions.ts when there is something to decide. In a page that is
 * open, without a denial or a pause, that is when the app uses `mcp.access` or its event.
 */

import type { AccessOptions, OpenAccess } from './access/decisions.ts'
import type {
  AccessAnswer,
  AccessDecision,
  AccessOption,
  AccessRequest,
  PageAccess,
} from './access-types.ts'
import { lazily } from './module.ts'

interface Options extends Omit<AccessOptions, 'mode' | 'policy' | 'flag'> {
  /** Default: `open` for a page of this machine by `http:`, else `ask`. */
  readonly access?: AccessOption
}

export interface OwnAccess {
  readonly page: PageAccess
  /** Whether the engine must serve nothing before {@link OwnAccess.serve} has settled. */
  readonly asks: boolean
  /** Reads the decisions: settles when the table is set, if there is one. */
  serve(): Promise<unknown>
  /**
   * Other tabs may have decided something while the browser has stopped this page: settles when the engine has it.
   * If that cannot be read, this page must not serve.
   */
  refresh(): Promise<void>
  /** A gateway has refused the key of this page: it does not know the app any more. */
  forgotten(): void
  ask(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer>
  decided(decision: AccessDecision): void
  /** The app listens to events of access: it needs the use of assistants. */
  load(): void
  /** The page joins a gateway with a token of its app: the gateway's users have consented to reads. */
  consented(): void
  close(): void
}

/** The methods of {@link PageAccess} that access/decisions.ts has. */
const names = [
  'grants',
  'revoke',
  'allow',
  'forget',
  'pause',
  'resume',
  'withhold',
  'audit',
] as const

export function pageAccess(options: Options): OwnAccess {
  const { name, access = isOnThisMachine() ? 'open' : 'ask', report } = options
  const isPolicy = typeof access === 'function'
  if (!isPolicy && access !== 'open' && access !== 'ask') {
    throw new TypeError('access is open, ask, or a function')
  }
  const flag = `pagemcp.access:${name}`
  const mode = isPolicy ? 'policy' : access
  const over = new AbortController()
  const asks = mode !== 'open' || isDenied(flag)
  let opened: OpenAccess | undefined
  let loading: Promise<OpenAccess> | undefined
  let isConsented = false

  /** If it fails, the next use tries again; until then nothing is allowed. */
  const load = () => {
    loading ??= open().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  const open = async () => {
    const { openAccess } = await lazily('decisions.js', import('./access/decisions.ts'))
    const policy = isPolicy ? access : undefined
    const made = await openAccess({ ...options, mode, policy, flag })
    if (over.signal.aborted) made.close()
    else if (isConsented) made.consented()
    opened = made
    return made
  }
  const loadOrDeny = () =>
    load().catch((error: unknown) => {
      options.setAccess({ default: 'ask', grants: [] }) // each request fails by `ask`
      report(error)
    })
  const use = async (name: (typeof names)[number] | 'ask', args: readonly unknown[]) => {
    const method = (await load())[name] as (...args: readonly unknown[]) => unknown
    return method(...args)
  }

  const page: PageAccess = {
    mode,
    app: `${globalThis.location?.origin ?? ''} ${name}`.trim(),
    get pausedUntil() {
      return opened?.pausedUntil
    },
    ...Object.fromEntries(names.map((name) => [name, (...args: never) => use(name, args)])),
  } as PageAccess
  return {
    page,
    asks,
    serve() {
      // Another tab of an open page has denied something.
      globalThis.addEventListener?.(
        'storage',
        ({ key }) => {
          if (key === flag && isDenied(flag)) void loadOrDeny()
        },
        over,
      )
      return asks ? loadOrDeny() : Promise.resolve()
    },
    async refresh() {
      if (asks || loading || isDenied(flag)) await (await load()).refresh()
    },
    forgotten() {
      if (asks || loading) load().then((made) => made.forgotten(), report)
    },
    ask: (...args) => use('ask', args) as Promise<AccessAnswer>,
    decided: (decision) => opened?.decided(decision),
    load: () => void loadOrDeny(),
    consented() {
      isConsented = true
      opened?.consented()
    },
    close() {
      over.abort()
      opened?.close()
    },
  }
}

/** Whether something is denied or paused: access/decisions.ts notes until when. */
function isDenied(flag: string): boolean {
  try {
    const until = localStorage.getItem(flag)
    return until !== null && !(Number(until) <= Date.now()) // what is no time is read from the database
  } catch {
    return false // an opaque origin has no storage
  }
}

/**
 * Whether the page is of this machine: a loopback address by `http:`, or no document of a site. Apps in a native shell
 * (Capacitor, Tauri, Cordova) have addresses such as `https://localhost`, `tauri.localhost`, or a file.
 */
function isOnThisMachine(): boolean {
  const { location } = globalThis
  if (location === undefined) return true
  return (
    location.protocol === 'http:' && /^localhost$|^127(\.\d+){3}$|^\[::1\]$/.test(location.hostname)
  )
}
