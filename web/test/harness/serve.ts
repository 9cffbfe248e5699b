import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import * as nodeModule from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize, sep } from 'node:path'
import { closeTabs } from './browsers.ts'
import { blankPath } from './shared-tab.ts'

/** What a test server answers with. */
export interface ServeOptions {
  /**
   * Directories by URL path prefix, such as `{ '/src/': '…/web/src' }`; the longest prefix that
   * fits wins.
   */
  directories?: { readonly [prefix: string]: string }
  /** Bodies by exact URL path, with `text/html` unless the path has an extension. */
  files?: { readonly [path: string]: string }
  /** Paths that are never answered; each function is called with a request. */
  held?: { readonly [path: string]: () => void }
  /** Sent with everything. */
  headers?: { readonly [name: string]: string }
}

/** One loopback port; the same content under two origins. */
export interface Served {
  /** `http://127.0.0.1:PORT`: no slash at its end. */
  origin: string
  /** `http://localhost:PORT`: another origin for browsers. */
  otherOrigin: string
  /** Ends the server, with the tabs open. */
  kill(): Promise<void>
  /** Closes the tabs of the tests that run, and ends the server. */
  close(): Promise<void>
}

/** Headers with which a browser keeps what it has loaded, as long as its context lives. */
export const kept: NonNullable<ServeOptions['headers']> = { 'cache-control': 'max-age=3600' }

const types: { readonly [extension: string]: string } = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript',
  '.txtar': 'text/plain',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
}

// @types/node of Node 20 does not know it; tests run in Node 24.
const { stripTypeScriptTypes } = nodeModule as unknown as {
  stripTypeScriptTypes(code: string): string
}

/**
 * Serves files on a free loopback port. TypeScript is served as JavaScript: types become blanks,
 * lines stay, and imported JSON is a script, as a bundler makes it: policies for scripts hold for it.
 */
export async function serve(options: ServeOptions): Promise<Served> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const kill = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    otherOrigin: `http://localhost:${port}`,
    kill,
    async close() {
      await closeTabs()
      await kill()
    },
  }
}

async function answer(options: ServeOptions, request: IncomingMessage, response: ServerResponse) {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const path = decodeURIComponent(pathname)
  const hold = options.held?.[path]
  if (hold) {
    hold()
    return
  }
  if (path === blankPath) {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>blank</title>')
    return
  }
  const found = await find(options, path.endsWith('/') ? `${path}index.html` : path)
  const isImported = search === importedJson
  const extension = isImported ? '.js' : extname(path) || '.html'
  if (found === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end(`no ${path}`)
    return
  }
  const headers = {
    'content-type': types[extension] ?? 'application/octet-stream',
    'cache-control': 'no-store',
  }
  response.writeHead(200, { ...headers, ...options.headers })
  if (isImported) response.end(`export default ${found}`)
  else response.end(extension === '.ts' ? script(found.toString()) : found)
}

const importedJson = '?imported'

const script = (source: string) =>
  stripTypeScriptTypes(source).replace(/\.json' with \{ type: 'json' \}/g, `.json${importedJson}'`)

async function find(
  { files = {}, directories = {} }: ServeOptions,
  path: string,
): Promise<Buffer | string | undefined> {
  const body = files[path] ?? files[path.replace(/index\.html$/, '')]
  if (body !== undefined) return body
  const prefixes = Object.keys(directories).filter((prefix) => path.startsWith(prefix))
  const prefix = prefixes.sort((a, b) => b.length - a.length)[0]
  if (prefix === undefined) return undefined
  const root = normalize(directories[prefix] ?? '')
  const file = join(root, path.slice(prefix.length))
  if (!file.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined
  return readFile(file).catch(() => undefined)
}
