/** Serves built files as a good web host does: with brotli, cacheable, and over a link of a given speed. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** A network that is emulated by delays of the answers. All answers share its speed. */
export interface Link {
  /** Before an answer begins, ms. */
  latency: number
  bytesPerSecond: number
}

export interface Site {
  /** `http://127.0.0.1:PORT`, served at once. */
  origin: string
  /** The same over a slow link. */
  slowOrigin: string
  /** Sizes of files by path, bytes. */
  sizes(path: string): { raw: number; brotli: number; gzip: number }
  close(): Promise<void>
}

const slow: Link = { latency: 40, bytesPerSecond: 10_000_000 / 8 }

const types: { readonly [extension: string]: string } = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
}

const compress = promisify(brotliCompress)

/** What browsers may keep: everything but the pages, so that they can keep compiled code with it. */
const cached = 'public, max-age=31536000, immutable'

/** Pages are cross-origin isolated, so that their clock is fine-grained. */
const isolated = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
}

/** @param pages - further files by path, HTML */
export async function openSite(
  directory: string,
  pages: { readonly [path: string]: string },
): Promise<Site> {
  const files = new Map<string, Buffer>()
  for (const name of readdirSync(directory, { recursive: true }) as string[]) {
    const file = join(directory, name)
    if (statSync(file).isFile()) files.set(`/${name}`, readFileSync(file))
  }
  for (const [path, text] of Object.entries(pages)) files.set(path, Buffer.from(text))
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24 } // the quality is 11 by default
  const compressed = new Map<string, Buffer>()
  // Beforehand, since the engine takes longer than a navigation may on a busy machine.
  const ahead = [...files].filter(([path]) => !path.startsWith('/bench/'))
  const contents = Map.groupBy(ahead, ([, file]) => file.toString('latin1'))
  await Promise.all(
    [...contents].map(async ([text, same]) => {
      const made = await compress(Buffer.from(text, 'latin1'), { params })
      for (const [path] of same) compressed.set(path, made)
    }),
  )
  const brotli = (path: string): Buffer => {
    const made = compressed.get(path) ?? brotliCompressSync(found(path), { params })
    compressed.set(path, made)
    return made
  }
  const found = (path: string): Buffer => {
    const file = files.get(path)
    if (file === undefined) throw new Error(`no ${path}`)
    return file
  }

  const listen = async (link: Link | undefined) => {
    const send = sender(link)
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
      if (!files.has(path)) {
        response.writeHead(404).end()
        return
      }
      const type = types[extname(path)] ?? 'application/octet-stream'
      const control = type === 'text/html' ? 'no-cache' : cached
      const headers = { 'content-type': type, 'cache-control': control, ...isolated }
      response.writeHead(200, { ...headers, 'content-encoding': 'br', vary: 'accept-encoding' })
      void send(response, brotli(path))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return { server, origin: `http://127.0.0.1:${port}` }
  }
  const [plain, emulated] = await Promise.all([listen(undefined), listen(slow)])
  return {
    origin: plain.origin,
    slowOrigin: emulated.origin,
    sizes: (path) => ({
      raw: found(path).length,
      brotli: brotli(path).length,
      gzip: gzipSync(found(path), { level: 9 }).length,
    }),
    async close() {
      for (const { server } of [plain, emulated]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}

const chunk = 4_096 // bytes, sent at once over a slow link

function sender(link: Link | undefined) {
  let busyUntil = 0 // ms: the link is shared
  const until = (time: number) =>
    new Promise((resolve) => setTimeout(resolve, Math.max(0, time - performance.now())))
  return async (response: ServerResponse, body: Buffer) => {
    if (link === undefined) {
      response.end(body)
      return
    }
    await until(performance.now() + link.latency)
    for (let at = 0; at < body.length; at += chunk) {
      const part = body.subarray(at, at + chunk)
      busyUntil =
        Math.max(busyUntil, performance.now()) + (part.length / link.bytesPerSecond) * 1_000
      await until(busyUntil)
      response.write(part)
    }
    response.end()
  }
}
