/** A hosted gateway as far as a page sees it, over TLS with a certificate of its own: web/docs/protocol.md, "Join tokens". */

import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import * as tls from 'node:tls'
import { accept, type Peer, queue } from './gateway.ts'

/** A certificate for loopback addresses, and what makes a browser accept it. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  /** The flag by which Chromium accepts it. */
  readonly flag: string
}

/** Makes a certificate by the program that Go brings along. */
export function makeCertificate(): Certificate {
  const directory = mkdtempSync(join(tmpdir(), 'pagemcp-'))
  try {
    const root = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim()
    const program = join(root, 'src/crypto/tls/generate_cert.go')
    const options = ['--host', '127.0.0.1,localhost', '--ecdsa-curve', 'P256']
    execFileSync('go', ['run', program, ...options], { cwd: directory, stdio: 'pipe' })
    const cert = readFileSync(join(directory, 'cert.pem'), 'utf8')
    const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
    const hash = createHash('sha256').update(spki).digest('base64')
    return {
      cert,
      key: readFileSync(join(directory, 'key.pem'), 'utf8'),
      flag: `--ignore-certificate-errors-spki-list=${hash}`,
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

// @types/node of Node 20 does not declare them; tests run in Node 24.
const { getCACertificates, setDefaultCACertificates } = tls as unknown as {
  getCACertificates(): string[]
  setDefaultCACertificates(certificates: string[]): void
}

/** Makes the process of the test accept a certificate (PEM). */
export function trust(certificate: string): void {
  setDefaultCACertificates([...getCACertificates(), certificate])
}

export interface TokenGateway {
  /** `wss://127.0.0.1:PORT/page` */
  readonly url: string
  /** The next page that dials. */
  dialled(): Promise<Peer>
  readonly dials: number
  /** Takes the page: returns its first message. */
  join(peer: Peer, terms?: object): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export async function tokenGateway({ cert, key }: Certificate): Promise<TokenGateway> {
  const peers = queue<Peer>()
  const sockets = new Set<Duplex>()
  const server = createServer({ cert, key }, (_, response) => response.writeHead(426).end())
  let dials = 0
  server.on('upgrade', (request, socket) => {
    dials++
    sockets.add(socket)
    peers.push(accept(request, socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `wss://127.0.0.1:${(server.address() as AddressInfo).port}/page`,
    dialled: peers.next,
    get dials() {
      return dials
    },
    async join(peer, terms = { ping: 15, refresh: 3000, spread: 500 }) {
      const first = await peer.next()
      peer.send({ joined: 'notes-k7qd2m', ...terms })
      return first
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
