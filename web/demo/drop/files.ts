/** The files of the drop: a directory of the origin private file system. */

const directory = 'drop'

/** The path that is served. */
export const path = `/${directory}`

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

/** The URI of a file of the drop. */
export function uriOf(name: string): string {
  const segment = encodeURIComponent(name).replace(/%(?:2[46BC]|3[ABD]|40)/g, decodeURIComponent)
  return `opfs://${path}/${segment}`
}

/** The first files. */
export function samples(): File[] {
  const of = (name: string, text: string) => new File([text], name)
  return [
    of(
      'recipe.md',
      '# Pear tart\n\n- 4 pears\n- 200 g flour\n- 100 g butter\n\nBake for 40 minutes at 180 °C.\n',
    ),
    of(
      'expenses.csv',
      'day,what,euro\n2026-11-02,train,38.50\n2026-11-09,hotel,124.00\n2026-11-17,museum,16.00\n',
    ),
    of('settings.json', '{\n  "language": "en",\n  "units": "metric"\n}\n'),
  ]
}
