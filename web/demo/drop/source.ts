/** The files of the drop as resources: a source of the app's own. */

import { NotFoundError, type Resource, type Source } from 'pagemcp'
import { all } from './files.ts'
import { decoded } from './preview.ts'

const scheme = 'drop:///'

/** Larger files are served as bytes. */
const maxText = 8 << 20 // bytes

/** The URI of a file of the drop. */
export const uriOf = (name: string) => scheme + encodeURIComponent(name)

/** The name in a URI of the drop, or `undefined`. */
export function nameOf(uri: string): string | undefined {
  try {
    return uri.startsWith(scheme) ? decodeURIComponent(uri.slice(scheme.length)) : undefined
  } catch {
    return undefined // not UTF-8
  }
}

export const source: Source = {
  // A cursor is the last name of a part: it stays right when files come and go.
  async list(cursor = '', { pageSize }) {
    const files = (await all()).filter(({ name }) => name > cursor).sort(byName)
    const part = files.slice(0, pageSize)
    const next = files.length > pageSize ? part.at(-1)?.name : undefined
    return { resources: part.map(described), ...(next !== undefined && { nextCursor: next }) }
  },

  async read(uri) {
    const name = nameOf(uri)
    const file = name === undefined ? undefined : (await all()).find((one) => one.name === name)
    if (file === undefined) throw new NotFoundError(uri)
    // The package checks the size of a Blob before it reads it.
    const text = file.size > maxText ? undefined : decoded(await file.arrayBuffer(), false)
    const mimeType = file.type || (text === undefined ? 'application/octet-stream' : 'text/plain')
    return [text === undefined ? { uri, mimeType, blob: file } : { uri, mimeType, text }]
  },

  // Each tab says in this channel which file it has written; a channel hears the others of its own tab, too.
  watch(changed, signal) {
    const channel = new BroadcastChannel('drop')
    channel.onmessage = ({ data }) => {
      changed(uriOf(String(data)))
      changed() // the list
    }
    signal.addEventListener('abort', () => channel.close())
  },
}

function described({ name, size, type, lastModified }: File): Resource {
  const annotations = { lastModified: new Date(lastModified).toISOString() }
  return { uri: uriOf(name), name, size, annotations, ...(type && { mimeType: type }) }
}

const byName = (a: File, b: File) => (a.name < b.name ? -1 : 1)
