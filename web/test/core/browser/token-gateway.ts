/** A hosted gateway as far as a page sees it, over TLS with a certificate of its own: web/docs/protocol.md, "Join tokens". */

import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as tls from 'node:tls'

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
