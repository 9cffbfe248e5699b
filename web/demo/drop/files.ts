/** The files of the drop: a directory of the origin private file system. */

const directory = 'drop'

async function drop(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  return root.getDirectoryHandle(directory, { create: true })
}

/** All files, the newest first. */
export async function all(): Promise<File[]> {
  const files: File[] = []
  for await (const handle of (await drop()).values()) {
    if (handle.kind !== 'file') continue
    const file = await (handle as FileSystemFileHandle).getFile().catch(unlessGone)
    if (file) files.push(file)
  }
  return files.sort((a, b) => b.lastModified - a.lastModified || (a.name < b.name ? -1 : 1))
}

/** Another tab may delete a file while this one reads it. */
function unlessGone(error: DOMException) {
  if (error.name !== 'NotFoundError') throw error
}

/** Stores a file; one of that name is replaced. */
export async function put(file: File): Promise<void> {
  const handle = await (await drop()).getFileHandle(file.name, { create: true })
  const writable = await handle.createWritable()
  await file.stream().pipeTo(writable) // which closes it, or aborts it
}

export async function remove(name: string): Promise<void> {
  await (await drop()).removeEntry(name)
}

/** The largest file of which a copy is kept, so that its deletion can be undone. */
const maxCopy = 20_000_000 // bytes

/** A copy in memory of a stored file; `undefined`: there is none, or it is too large. */
export async function copyOf(name: string): Promise<File | undefined> {
  try {
    const file = await (await (await drop()).getFileHandle(name)).getFile()
    return file.size > maxCopy ? undefined : new File([await file.arrayBuffer()], name)
  } catch (error) {
    unlessGone(error as DOMException)
    return undefined
  }
}
