/** The package as users get it, built once for a test file, and pages that use it. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Served, serve } from '../../harness/serve.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

const directory = mkdtempSync(join(tmpdir(), 'pagemcp-'))
after(() => rmSync(directory, { recursive: true })) // with the file: this is not within a test
execFileSync('go', ['run', './cmd/pagemcp', 'build', '--out', directory], { cwd: root })

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
    directories: { '/pagemcp/': join(directory, 'pagemcp') },
    files: { ...files, ...further },
    held,
    ...(headers && { headers }),
  })
}
