import { rankCompletions } from '../complete.ts'
import { lazily } from '../module.ts'
import { type Json, NotFoundError, type PortableSource } from '../source.ts'
import { lazyReader } from './lazy-reader.ts'
import { type Path, pathOf, scheme, servedPaths, variableOf } from './opfs-paths.ts'
import { childrenOf, entryAt, isDirectory, isServed } from './opfs-reader.ts'
import { watchFiles } from './opfs-watch.ts'
import { commonOptions, type PollingOptions } from './options.ts'

/**
 * The paths that may be read. There is no default. `poll`, by default 2,000 ms, is for browsers without
 * FileSystemObserver; without it, only the app announces its writes there.
 */
export interface OpfsOptions extends PollingOptions {
  /** Absolute paths of directories or files, such as `/docs`; `/` is the whole file system. */
  paths: readonly [string, ...string[]]
}

/** The default interval of polling. */
const defaultPoll = 2000 // ms

/**
 * Publishes files of the origin private file system, read only: `opfs:///{+path}` is a file, with a
 * MIME type by its extension, as text if that is a text type and its bytes are UTF-8, else as a blob;
 * or a directory, of type `inode/directory`: `{ entries: [{ name, kind, uri, mimeType, size,
 * lastModified }], more? }`, JSON, at most 10,000 of them. A name is percent-encoded where a path needs
 * it (RFC 3986); `..` and similar names do not exist. Nothing is ever created.
 *
 * Writes of this tab, other tabs and workers are noticed where there is a FileSystemObserver (Chromium).
 * Elsewhere, while there are listeners, size and time of at most 10,000 files are compared every
 * {@link PollingOptions.poll} ms, or less often if that takes long or the window is hidden. An app that calls
 * `changed(uri)` is faster. A write that leaves size and time unchanged is not noticed then.
 *
 * @returns a source (Go's `engine.Source`, `engine.Templater`, `engine.Watcher`) whose list and read
 *   can run in a Worker. They reject with {@link NotFoundError}, `BadCursorError`, or a `DOMException`
 *   of the file system
 * @throws TypeError if the options name no paths in the documented way
 * @see https://fs.spec.whatwg.org/#origin-private-file-system
 */
export function opfs(options: OpfsOptions): PortableSource {
  const { every, signal: ends } = commonOptions('opfs', options, defaultPoll)
  const served = servedPaths(options.paths)
  return {
    ...lazyReader(scheme, async () => (await load()).opfsReader(served)),
    templates: async () => [
      {
        uriTemplate: 'opfs:///{+path}',
        name: 'file',
        title: 'A file or directory',
        description: `A file of this app, or what a directory has in it. Below ${served
          .map((path) => `/${path.join('/')}`)
          .join(', ')}.`,
      },
    ],
    portable: { kind: 'opfs', options: served as Json },
    watch(changed, listening) {
      const signal = ends ? AbortSignal.any([listening, ends]) : listening
      if (!signal.aborted) watchFiles(served, changed, signal, every)
    },

    /** Paths that begin with what was typed; those of directories end with a slash. */
    async complete(ref, { name, value }) {
      const uri = ref.type === 'ref/resource' ? ref.uri : ref.name
      if (ref.type !== 'ref/resource' || !uri.startsWith(scheme) || name !== 'path') {
        throw new NotFoundError(uri)
      }
      const typed = value.replace(/^\//, '')
      const above = served.filter((path) => variableOf(path).startsWith(typed) && path.length > 0)
      return [...above.map(variableOf), ...(await below(served, typed))]
    },
  }
}

const load = () => lazily('files-in-window.js', import('./files-in-window.ts'))

/** What is in the directory that was typed, if what comes after its slash fits. */
async function below(served: readonly Path[], typed: string): Promise<string[]> {
  const slash = typed.lastIndexOf('/')
  const path = pathOf(scheme + typed.slice(0, Math.max(slash, 0)))
  const entry = isServed(served, path) ? await entryAt(path) : undefined
  if (entry === undefined || !isDirectory(entry.handle)) return []
  const paths = (await childrenOf(entry.handle)).map((child) => {
    const own = variableOf([...entry.path, child.name])
    return isDirectory(child) ? `${own}/` : own
  })
  return rankCompletions(paths, typed)
}
