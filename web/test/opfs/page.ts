/** What tests evaluate in a page with files. Everything here runs in the browser. */
import { isTextType, typeOfName } from '../../src/sources/mime.ts'
import { opfs } from '../../src/sources/opfs.ts'
import { pathOf, servedPaths, uriOf } from '../../src/sources/opfs-paths.ts'
import { changes, list, never } from '../harness/sources.ts'

async function directory(path: string): Promise<FileSystemDirectoryHandle> {
  let at = await navigator.storage.getDirectory()
  for (const name of path.split('/').filter(Boolean)) {
    at = await at.getDirectoryHandle(name, { create: true })
  }
  return at
}

/** Writes files, by absolute path; a path that ends with a slash is a directory. */
async function write(files: { [path: string]: string | Uint8Array<ArrayBuffer> }): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const slash = path.lastIndexOf('/')
    const parent = await directory(path.slice(0, slash))
    if (path.endsWith('/')) continue
    const handle = await parent.getFileHandle(path.slice(slash + 1), { create: true })
    const writable = await handle.createWritable()
    await writable.write(content)
    await writable.close()
  }
}

async function remove(path: string): Promise<void> {
  const slash = path.lastIndexOf('/')
  const parent = await directory(path.slice(0, slash))
  await parent.removeEntry(path.slice(slash + 1), { recursive: true })
}

/** Everything that there is, with sizes and times: to see that reading changed nothing. */
async function everything(at?: FileSystemDirectoryHandle, path = ''): Promise<string[]> {
  const all: string[] = []
  for await (const [name, handle] of (at ?? (await directory(''))).entries()) {
    if (handle.kind === 'directory') {
      all.push(`${path}/${name}/`)
      all.push(...(await everything(handle as FileSystemDirectoryHandle, `${path}/${name}`)))
      continue
    }
    const { size, lastModified } = await (handle as FileSystemFileHandle).getFile()
    all.push(`${path}/${name} ${size} ${lastModified}`)
  }
  return all.sort()
}

const exported = {
  opfs,
  pathOf,
  servedPaths,
  uriOf,
  typeOfName,
  isTextType,
  directory,
  write,
  remove,
  everything,
  list,
  changes,
  never,
}

declare global {
  var fileKit: typeof exported
}

globalThis.fileKit = exported
