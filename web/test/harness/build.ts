import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Served, serve } from './serve.ts'

const root = join(import.meta.dirname, '../../..')

/**
 * How long `pagemcp build` may take: the first time, Go's standard library is compiled for wasm.
 */
const buildTimeout = 300_000 // ms

/**
 * The Content-Security-Policy that `pagemcp dev` sends with every page: its own files, WebAssembly,
 * one gateway. Pages that work under it need no inline script or style.
 */
export const policy = (gateway: string) =>
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; " +
  `font-src 'self'; connect-src 'self' ws://${gateway} http://${gateway}; worker-src 'self'; ` +
  "require-trusted-types-for 'script'; trusted-types pagemcp; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * Everything that `pagemcp dev` serves, built once for all test files if `PAGEMCP_BUILT` names where it is.
 *
 * @returns the directory, and how to take it away again if it was made for this
 */
export async function built(): Promise<{ directory: string; remove(): Promise<void> }> {
  const ready = process.env.PAGEMCP_BUILT
  if (ready !== undefined) return { directory: ready, remove: async () => {} }
  const directory = await mkdtemp(join(tmpdir(), 'pagemcp-built-'))
  const run = promisify(execFile)
  await run('make', ['-s', 'program'], { cwd: root, timeout: buildTimeout })
  await run('bin/pagemcp', ['build', '--out', directory], { cwd: root, timeout: buildTimeout })
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) }
}

/**
 * Builds the package and the demos as `pagemcp dev` serves them, and serves them without a gateway.
 *
 * @param options.gateway - host and port that pages may connect to
 * @param options.files - further files, such as `/pagemcp/config.json`
 * @param options.headers - see `serve`
 */
export async function serveDemos(
  options: {
    gateway?: string
    files?: { readonly [path: string]: string }
    headers?: { readonly [name: string]: string }
  } = {},
): Promise<Served> {
  const { directory, remove } = await built()
  const served = await serve({
    directories: { '/': directory },
    ...(options.files && { files: options.files }),
    headers: {
      ...options.headers,
      'content-security-policy': policy(options.gateway ?? '127.0.0.1:8808'),
    },
  })
  return {
    ...served,
    async close() {
      await served.close()
      await remove()
    },
  }
}
