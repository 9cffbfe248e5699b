/**
 * `pagemcp/dev`: a page under development serves what its developer tools show, so that an assistant sees what its changes
 * do. It does nothing in a page of another machine. `pagemcp/vite` calls it by itself.
 */

import { type ErrorEntry, type ErrorSummary, errorLog } from './dev/errors.ts'
import { type Level, observeConsole, observeRequests, type RequestEntry } from './dev/observe.ts'
import { linesOf, type Ring, ring, spaced } from './dev/ring.ts'
import { sourcePath } from './dev/source-map.ts'
import { observeStores } from './dev/stores.ts'
import { errorText, logText, redactLog } from './dev/text.ts'
import { gatewayOf, type PageMcp, start } from './index.ts'

/** `import.meta.hot` of Vite. */
export interface Hot {
  on(event: string, act: (payload: never) => void): void
}

export interface DevOptions {
  /** The page's name at the gateway; default `dev`. An app that uses PageMCP itself has another one. */
  name?: string
  /** The address of the gateway; default `ws://127.0.0.1:8808/page`. The page is paired by `pagemcp pair`. */
  gateway?: string
  /** Instead of `gateway`: where the development server hands out invitations, as that of `pagemcp/vite` does. */
  invitation?: string
  /** Where the app is, as a path of its server, and its directory: both are left out of paths of sources. */
  base?: string
  root?: string
  /** Tells of hot updates. */
  hot?: Hot
}

interface LogEntry {
  time: string
  level: Level
  text: string
}

interface UpdateEntry {
  time: string
  kind: 'update' | 'reload' | 'failed'
  files?: string[]
  text?: string
}

const updatedEvery = 250 // ms, for each resource
const maxUpdateText = 1_000 // UTF-16 code units

let running: PageMcp | undefined

/**
 * Serves console, errors, requests, hot updates and stores of this page at `dev:///`, and each error as the event `error`.
 * Call it in development only, before the app starts. Another call returns the same engine.
 *
 * @returns the engine, for resources and tools of your own; `undefined` on a server, and in pages that are not of this machine
 */
export function dev(options: DevOptions = {}): PageMcp | undefined {
  if (running || globalThis.document === undefined) return running
  const { name = 'dev', gateway, invitation, base = '/', root, hot } = options
  const { console, fetch } = globalThis
  const { info } = console
  const say = (text: string) => info.call(console, `[pagemcp] ${text}`)
  if (!/^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(location.hostname)) {
    say(`development mode is off, since this page is not of this machine: ${location.hostname}`)
    return undefined
  }
  const mcp = start({
    name,
    access: 'open', // to assistants of this machine, which the gateway lets in
    webMcp: { debugging: 'only' },
    instructions:
      'A page under development. After a change of its sources read dev:///hmr and dev:///errors: an error with "open": true happened since the last hot update.',
  })
  running = mcp
  mcp.on('error', (error) => say(errorText(error)))

  /** Registers a resource; returns what announces its changes. */
  const serve = (path: string, description: string, read: () => string, type = 'jsonl') => {
    const uri = `dev:///${path}`
    const annotations = { priority: 0 } // it changes often: who watches all resources does not hear of it
    mcp.resource(uri, { description, mimeType: `application/${type}`, annotations }, read)
    return spaced(updatedEvery, () => mcp.changed(uri))
  }
  const serveRing = <T extends object>(
    path: string,
    most: number,
    description: string,
    written = (entry: T): object => entry,
  ) => {
    const read = () => linesOf(own.entries().map(written))
    const own: Ring<T> = ring(most, serve(path, description, read))
    return own
  }
  const logs = serveRing<LogEntry>(
    'console',
    500,
    'The last lines of the console; `dropped`: how many were too fast before it',
    (entry) => ({ ...entry, text: redactLog(entry.text) }),
  )
  const requests = serveRing<RequestEntry>(
    'requests',
    100,
    'Requests that failed (status 0: without a response) or took over 1 s',
  )
  const updates = serveRing<UpdateEntry>(
    'hmr',
    100,
    'Hot updates of the sources, reloads, and updates that failed',
  )
  const errors = serveRing<ErrorEntry>(
    'errors',
    50,
    'Errors that were not caught, or logged, at their places in the sources; `open`: no hot update since',
  )
  const readStores = observeStores(
    serve(
      'state',
      'Stores of the app: Redux, Zustand, Pinia, TanStack Query',
      () => JSON.stringify(readStores()),
      'json',
    ),
  )

  const shown = (url: string) => sourcePath(url, new URL(base, location.href).href, root)
  const event = mcp.event<ErrorSummary>('error', {
    show: true,
    title: 'Error',
    description: 'An error in the page under development: read dev:///errors for its stack',
  })
  const { failed, updateBegins, updateEnds } = errorLog(errors, fetch, shown, (summary) =>
    event.emit(summary),
  )
  addEventListener('error', ({ error, message, filename: file, lineno, colno }) => {
    const text = error === undefined || error === null ? message : ''
    void failed('uncaught', error, text, file ? { file, line: lineno, column: colno } : undefined)
  })
  addEventListener('unhandledrejection', ({ reason }) => void failed('rejection', reason))
  observeRequests((entry) => {
    if (requests.admits()) requests.add(entry)
  })
  observeConsole((level, args) => {
    const [first] = args
    if (typeof first === 'string' && first.startsWith('[')) noteTool(first)
    const error = level === 'error' ? args.find((one) => one instanceof Error) : undefined
    if (error) void failed('logged', error)
    if (logs.admits()) logs.add({ time: new Date().toISOString(), level, text: logText(args) })
  })

  const updated = (kind: UpdateEntry['kind'], text?: string, paths?: readonly string[]) => {
    const files = paths && [...new Set(paths.map(shown))]
    const time = new Date().toISOString()
    updates.add({ time, kind, files, text: text && redactLog(text.slice(0, maxUpdateText)) })
    if (kind === 'update') updateEnds()
  }
  /** What servers of Next.js and webpack tell by the console alone; and of Vite what failed. */
  function noteTool(text: string) {
    const [, told] = /^\[(?:Fast Refresh|HMR|hmr|vite|webpack-dev-server)\] (.*)/s.exec(text) ?? []
    if (told === undefined) return
    if (/fail|cannot|full reload/i.test(told)) updated('failed', told)
    else if (/^(?:rebuilding|checking for updates)/i.test(told)) updateBegins()
    else if (/^(?:done|app is up to date)/i.test(told)) updated('update', told)
  }
  const on = <T>(name: string, act: (payload: T) => void) => hot?.on(name, act)
  on('vite:beforeUpdate', updateBegins)
  on<{ updates: { path: string }[] }>('vite:afterUpdate', ({ updates: applied }) => {
    const paths = applied.map(({ path }) => path)
    updated('update', undefined, paths)
  })
  on<{ err: BuildError }>('vite:error', ({ err: { message = '', id, loc } }) => {
    const file = loc?.file ?? id
    updated('failed', message, file ? [file] : [])
    const place = file ? { file, line: loc?.line ?? 1, column: (loc?.column ?? 0) + 1 } : undefined
    void failed('build', undefined, message, place)
  })
  const [navigation] = performance.getEntriesByType('navigation')
  if ((navigation as PerformanceNavigationTiming | undefined)?.type === 'reload') updated('reload')

  const join = async () => {
    if (invitation === undefined) return mcp.connect(gateway).joined
    const response = await fetch(invitation, { method: 'POST' })
    const text = await response.text()
    const inviting = response.ok ? gatewayOf(text) : undefined
    if (inviting === undefined) throw new Error(response.ok ? 'this is no invitation' : text)
    return mcp.connect(inviting, { invitation: text }).joined
  }
  const joinOrSay = () => void join().catch(({ message }: Error) => say(message))
  on('pagemcp:gateway', joinOrSay) // one has started
  joinOrSay()
  return mcp
}

/** What Vite says of a source that it cannot transform. */
interface BuildError {
  message?: string
  id?: string
  loc?: { file?: string; line: number; column: number }
}
