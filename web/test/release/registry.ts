/**
 * A registry of npm packages on loopback, with the tarballs of a directory: enough for `npm install`, read only. See
 * https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
 */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readTar } from './release.ts'

export interface Registry {
  url: string
  /** Names of the packages whose tarballs were downloaded. */
  downloaded: string[]
  /** Paths of requests for anything else. */
  unknown: string[]
  close(): void
}

interface Manifest {
  name: string
  version: string
}

/** Serves the packages in a directory. */
export async function startRegistry(directory: string): Promise<Registry> {
  const packages = new Map<string, { manifest: Manifest; tarball: Buffer; file: string }>()
  for (const file of readdirSync(directory)) {
    const manifest = readTar(join(directory, file)).find(
      ({ path }) => path === 'package/package.json',
    )
    const parsed = JSON.parse(String(manifest?.body)) as Manifest
    packages.set(parsed.name, {
      manifest: parsed,
      tarball: readFileSync(join(directory, file)),
      file,
    })
  }
  const downloaded: string[] = []
  const unknown: string[] = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', url).pathname)
    const asked = [...packages.values()].find(({ file }) => path === `/-/${file}`)
    if (asked) {
      downloaded.push(asked.manifest.name)
      response.end(asked.tarball)
      return
    }
    const named = packages.get(path.slice(1))
    if (!named) {
      unknown.push(path)
      response.writeHead(404).end('{}')
      return
    }
    const { manifest, tarball, file } = named
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    const versioned = { ...manifest, dist: { tarball: `${url}-/${file}`, integrity } }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        name: manifest.name,
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: versioned },
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    downloaded,
    unknown,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
