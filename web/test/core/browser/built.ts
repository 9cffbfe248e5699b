/** The package as users get it, and pages that use it. */

import { join } from 'node:path'
import { after } from 'node:test'
import { built } from '../../harness/build.ts'
import { inWindow } from '../../harness/in-window.ts'
import { type Served, serve } from '../../harness/serve.ts'

const { directory, remove } = await built()
after(remove) // with the file: this is not within a test

/**
 * Serves pages with the package at `/pagemcp/`, on two origins.
 *
 * @param scripts - by path: the module script of an otherwise empty page
 * @param further - more files, by path
 * @param held - {@link ServeOptions.held}
 */
export function servePages(
  scripts: { readonly [path: string]: string },
  headers?: { readonly [name: string]: string },
  further: { readonly [path: string]: string } = {},
  held: { readonly [path: string]: () => void } = {},
): Promise<Served> {
  const files = Object.fromEntries(
    Object.entries(scripts).flatMap(([path, script]) => [
      [
        path,
        `<!doctype html><title>${path}</title><script type="module" src="${path}.js"></script>`,
      ],
      [`${path}.js`, script],
    ]),
  )
  return serve({
    directories: {
      '/pagemcp/': join(directory, 'pagemcp'),
      '/test/': join(import.meta.dirname, '../..'), // such as `/test/harness/client.ts`
    },
    files: { '/in-window.js': inWindow, ...files, ...further },
    held,
    ...(headers && { headers }),
  })
}
