/** The reading half of `opfs`, in the engine's Worker or the window. */

import { checkSize, isMediaType } from '../contents.ts'
import { plainLabel, withProvenance } from '../provenance.ts'
import {
  BadCursorError,
  type Contents,
  NotFoundError,
  type Resource,
  type Source,
} from '../source.ts'
import { isTextType, textOf, typeOfName } from './mime.ts'
import { comparePaths, contains, type Path, pathOf, uriOf } from './opfs-paths.ts'

const directoryType = 'inode/directory'

/** The most entries in the listing of a directory. */
const maxEntries = 10_000

/** A file or directory, where it is. */
export interface Entry {
  readonly path: Path
  readonly handle: FileSystemHandle
}

/** The reading half of `opfs`. Nothing is ever created, not even a directory on the way. */
export function opfsReader(served: readonly Path[]): Pick<Source, 'list' | 'read'> {
  return {
    /** The cursor is the last URI of the previous part; its resource may be gone. */
    async list(cursor, { pageSize, signal }) {
      const after = cursor === undefined ? undefined : pathOf(cursor)
      if (cursor !== undefined && !isServed(served, after)) throw new BadCursorError(cursor)
      const resources: Resource[] = []
      const most = Math.max(pageSize, 1)
      for await (const entry of entriesBelow(served, after)) {
        signal.throwIfAborted()
        if (resources.length === most) return { resources, nextCursor: resources.at(-1)?.uri }
        const resource = await described(entry)
        if (resource !== undefined) resources.push(resource)
      }
      return { resources }
    },

    async read(uri, { signal }) {
      const path = pathOf(uri)
      const entry = isServed(served, path) ? await entryAt(path) : undefined
      signal.throwIfAborted()
      if (entry === undefined) throw new NotFoundError(uri)
      const item = isDirectory(entry.handle)
        ? await listingOf(entry.handle, entry.path, signal)
        : await contentOf(entry.handle as FileSystemFileHandle)
      if (item === undefined) throw new NotFoundError(uri)
      return withProvenance('opfs', [{ uri, ...item }])
    },
  }
}

export function isServed(served: readonly Path[], path: Path | undefined): path is Path {
  return path !== undefined && served.some((one) => contains(one, path))
}

/** The file or directory at a path; `undefined`: there is none. */
export async function entryAt(path: Path): Promise<Entry | undefined> {
  let handle: FileSystemHandle = await navigator.storage.getDirectory()
  for (const name of path) {
    const inner = isDirectory(handle) ? await childOf(handle, name) : undefined
    if (inner === undefined) return undefined
    handle = inner
  }
  return { path, handle }
}

export function isDirectory(handle: FileSystemHandle): handle is FileSystemDirectoryHandle {
  return handle.kind === 'directory'
}

async function childOf(directory: FileSystemDirectoryHandle, name: string) {
  try {
    return await directory.getFileHandle(name)
  } catch (error) {
    if (!isAbsence(error, 'TypeMismatchError')) throw error
  }
  try {
    return await directory.getDirectoryHandle(name)
  } catch (error) {
    if (!isAbsence(error, 'TypeMismatchError')) throw error
    return undefined
  }
}

/** Whether an error means that the name does not exist, or is not allowed. */
function isAbsence(error: unknown, ...more: string[]): boolean {
  const { name } = (error ?? {}) as { name?: string }
  return ['NotFoundError', 'TypeError', ...more].includes(name ?? '')
}

/** The content of a directory, by name; empty if it is gone. */
export async function childrenOf(
  directory: FileSystemDirectoryHandle,
): Promise<FileSystemHandle[]> {
  const all: FileSystemHandle[] = []
  try {
    for await (const handle of directory.values()) all.push(handle)
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
  return all.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** All served files and directories from `after` on, a directory before its content. */
export async function* entriesBelow(
  served: readonly Path[],
  after?: Path,
): AsyncGenerator<Entry, undefined> {
  for (const path of served) {
    // What comes before, and has nothing in it that comes after, is passed over.
    if (after !== undefined && comparePaths(path, after) < 0 && !contains(path, after)) continue
    const entry = await entryAt(path)
    if (entry !== undefined) yield* within(entry, after)
  }
}

async function* within(entry: Entry, after: Path | undefined): AsyncGenerator<Entry, undefined> {
  const { path, handle } = entry
  const order = after === undefined ? 1 : comparePaths(path, after)
  if (order > 0) yield entry
  else if (after !== undefined && !contains(path, after)) return
  if (!isDirectory(handle)) return
  for (const child of await childrenOf(handle)) {
    yield* within({ path: [...path, child.name], handle: child }, order > 0 ? undefined : after)
  }
}

async function described({ path, handle }: Entry): Promise<Resource | undefined> {
  const uri = uriOf(path)
  const name = plainLabel(`/${path.join('/')}`)
  if (isDirectory(handle)) return { uri, name, mimeType: directoryType }
  const file = await fileOf(handle as FileSystemFileHandle)
  return (
    file && {
      uri,
      name,
      mimeType: mimeTypeOf(file),
      size: file.size,
      annotations: { lastModified: isoOf(file) },
    }
  )
}

/** undefined: it is gone. */
export async function fileOf(handle: FileSystemFileHandle): Promise<File | undefined> {
  try {
    return await handle.getFile()
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

function mimeTypeOf({ name, type }: File): string {
  const own = typeOfName(name)
  return own === 'application/octet-stream' && isMediaType(type) ? type : own
}

function isoOf({ lastModified }: File): string {
  return new Date(lastModified).toISOString()
}

/** A listing of a directory: JSON, by name. */
async function listingOf(
  directory: FileSystemDirectoryHandle,
  path: Path,
  signal: AbortSignal,
): Promise<Omit<Contents, 'uri'>> {
  const children = await childrenOf(directory)
  const entries = []
  for (const handle of children.slice(0, maxEntries)) {
    signal.throwIfAborted()
    const { name } = handle
    const own = { name, kind: handle.kind, uri: uriOf([...path, name]) }
    if (isDirectory(handle)) {
      entries.push({ ...own, mimeType: directoryType })
      continue
    }
    const file = await fileOf(handle as FileSystemFileHandle)
    if (file === undefined) continue
    const { size } = file
    entries.push({ ...own, mimeType: mimeTypeOf(file), size, lastModified: isoOf(file) })
  }
  const more = children.length > maxEntries ? { more: children.length - maxEntries } : {}
  return { mimeType: directoryType, text: JSON.stringify({ entries, ...more }) }
}

/**
 * The bytes of a file, or its text. Read now: reading a File fails after the app has written it. If that
 * happens meanwhile, the new file is read.
 */
async function contentOf(handle: FileSystemFileHandle): Promise<Omit<Contents, 'uri'> | undefined> {
  for (let again = true; ; again = false) {
    const file = await fileOf(handle)
    if (file === undefined) return undefined
    checkSize(file.size)
    try {
      const bytes = new Uint8Array(await file.arrayBuffer())
      const mimeType = mimeTypeOf(file)
      const text = isTextType(mimeType) ? textOf(bytes) : undefined
      const _meta = { [fileMeta]: { size: file.size, lastModified: isoOf(file) } }
      return text === undefined ? { mimeType, blob: bytes, _meta } : { mimeType, text, _meta }
    } catch (error) {
      const { name } = (error ?? {}) as { name?: string }
      if (!again || (name !== 'NotReadableError' && name !== 'NotFoundError')) throw error
    }
  }
}

/** The `_meta` key of a file's size, in bytes, and time of the last write. */
const fileMeta = 'io.github.pagemcp/file'
