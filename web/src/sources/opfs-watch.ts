/**
 * Observes changes of files: by FileSystemObserver where it exists, which reports writes of all tabs and
 * workers; otherwise by polling while there are listeners.
 *
 * @see https://github.com/whatwg/fs/blob/main/proposals/FileSystemObserver.md
 */

import type { Changed } from '../source.ts'
import { contains, type Path, uriOf } from './opfs-paths.ts'
import { entriesBelow, fileOf, isDirectory, isServed } from './opfs-reader.ts'
import { pollEvery } from './polling.ts'

/** The most files and directories that are polled. */
const maxPolled = 10_000

interface Record {
  readonly type: 'appeared' | 'disappeared' | 'modified' | 'moved' | 'unknown' | 'errored'
  readonly relativePathComponents: readonly string[]
  readonly relativePathMovedFrom?: readonly string[] | null
}

interface Observer {
  observe(handle: FileSystemHandle, options: { recursive: boolean }): Promise<void>
  disconnect(): void
}

type ObserverClass = new (callback: (records: readonly Record[]) => void) => Observer

/**
 * Watches until the signal ends.
 *
 * @param every - ms between polls, where there is no FileSystemObserver; 0: never
 */
export function watchFiles(
  served: readonly Path[],
  changed: Changed,
  signal: AbortSignal,
  every: number,
): void {
  const tell = (path: Path, kind: 'content' | 'existence') => {
    if (signal.aborted) return
    changed(uriOf(path))
    const parent = path.slice(0, -1)
    if (isServed(served, parent)) changed(uriOf(parent)) // its listing has sizes and times
    if (kind === 'content') return
    changed(`${uriOf(path)}/`, true)
    changed()
  }
  const { FileSystemObserver } = globalThis as { FileSystemObserver?: ObserverClass }
  const startPolling = () => {
    if (every > 0) poll(served, tell, every, signal)
  }
  if (FileSystemObserver === undefined) startPolling()
  else observe(FileSystemObserver, served, tell, signal).catch(startPolling)
}

type Tell = (path: Path, kind: 'content' | 'existence') => void

/**
 * Observes the root: what is served may not exist yet, or go and come back. Changes of other files are
 * ignored.
 */
async function observe(
  FileSystemObserver: ObserverClass,
  served: readonly Path[],
  tell: Tell,
  signal: AbortSignal,
): Promise<void> {
  const all = () => {
    for (const path of served) tell(path, 'existence')
  }
  /** Files and directories above or below a path may have been replaced. */
  const exists = (path: Path) => {
    if (isServed(served, path)) return tell(path, 'existence')
    for (const one of served) if (contains(path, one)) tell(one, 'existence')
  }
  const observer = new FileSystemObserver((records) => {
    for (const { type, relativePathComponents: path, relativePathMovedFrom } of records) {
      if (type === 'unknown' || type === 'errored') all()
      else if (type !== 'modified') exists(path)
      else if (isServed(served, path)) tell(path, 'content')
      if (relativePathMovedFrom) exists(relativePathMovedFrom)
    }
  })
  signal.addEventListener('abort', () => observer.disconnect())
  await observer.observe(await navigator.storage.getDirectory(), { recursive: true })
  if (signal.aborted) observer.disconnect()
  else all() // changes before the observer was active
}

/** Compares files and directories with those of the previous poll. */
function poll(served: readonly Path[], tell: Tell, every: number, signal: AbortSignal): void {
  let known: Map<string, { path: Path; state: string }> | undefined
  pollEvery(every, signal, async () => {
    const now = await snapshot(served, signal)
    if (signal.aborted) return
    if (known === undefined) for (const path of served) tell(path, 'existence') // since watch
    for (const [uri, { path, state }] of known === undefined ? [] : now) {
      const before = known?.get(uri)
      if (before?.state !== state) tell(path, before === undefined ? 'existence' : 'content')
    }
    for (const [uri, { path }] of known ?? []) if (!now.has(uri)) tell(path, 'existence')
    known = now
  })
}

async function snapshot(served: readonly Path[], signal: AbortSignal) {
  const all = new Map<string, { path: Path; state: string }>()
  for await (const { path, handle } of entriesBelow(served)) {
    if (signal.aborted || all.size === maxPolled) break
    const file = isDirectory(handle) ? undefined : await fileOf(handle as FileSystemFileHandle)
    const state = file ? `${file.size} ${file.lastModified}` : 'directory'
    all.set(uriOf(path), { path, state })
  }
  return all
}
