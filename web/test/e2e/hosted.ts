/** Runs a node of the hosted gateway for tests, `pagemcpd`, with the keys of an app and of an issuer of access tokens. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import type { Certificate } from '../core/browser/token-gateway.ts'
import { inContext, type TestBrowser } from '../harness/browsers.ts'
import { browserUnderTest, close, launch } from '../harness/launch.ts'
import { freePort } from '../harness/ports.ts'

/** The program that `make binary` builds. */
const program = join(import.meta.dirname, '../../../bin/pagemcpd')

const startTimeout = 20_000 // ms
const endTimeout = 50_000 // ms; a drain takes at most 45 s

const issuer = 'https://auth.app.example'
const app = 'https://app.example'

export interface HostedNode {
  /** `https://127.0.0.1:PORT` */
  readonly url: string
  /** The address that pages dial. */
  readonly page: string
  /** A token of the app for a page of its user. `claims` replace the usual ones. */
  joinToken(user: string, origin: string, claims?: object): string
  /** An access token for an assistant of a user. `client` is its id, by default `assistant`. */
  accessToken(user: string, client?: string): string
  /** Ends the process as an orchestrator does, and returns when it has drained. */
  end(): Promise<void>
  /** Starts it again at the same addresses. */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * @param origins - of pages
 * @param limits - members of the node's `limits`
 */
export async function hostedNode(
  certificate: Certificate,
  origins: readonly string[],
  limits: object = {},
): Promise<HostedNode> {
  const directory = await mkdtemp(join(tmpdir(), 'pagemcp-'))
  const host = `127.0.0.1:${await freePort()}` // the public URL, which the configuration names, has it
  const url = `https://${host}`
  const [appKey, issuerKey] = [newKey(), newKey()]
  const config = {
    publicURL: url,
    listen: host,
    tls: { cert: 'tls.crt', key: 'tls.key' },
    admin: { listen: '127.0.0.1:0' },
    assistants: { issuer, jwks: 'issuer.json' },
    pages: { origins, tokens: { issuer: app, jwks: 'app.json' } },
    keys: 'pagemcp.keys',
    limits: { pages: 100, streams: 100, ...limits },
  }
  const files = {
    'pagemcpd.yaml': JSON.stringify(config), // JSON is YAML
    'tls.crt': certificate.cert,
    'tls.key': certificate.key,
    'issuer.json': JSON.stringify({ keys: [issuerKey.jwk] }),
    'app.json': JSON.stringify({ keys: [appKey.jwk] }),
    'pagemcp.keys': execFileSync(program, ['keygen'], { encoding: 'utf8' }),
  }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(directory, name), text, { mode: 0o600 })
  }
  const now = () => Math.floor(Date.now() / 1000)
  let child: ChildProcess | undefined

  const node: HostedNode = {
    url,
    page: `wss://${host}/page`,
    joinToken(user, origin, claims = {}) {
      const times = { iat: now(), exp: now() + 60 }
      const usual = { iss: app, sub: user, aud: node.page, ...times, origin }
      return token(appKey, 'pagemcp-join+jwt', { ...usual, ...claims })
    },
    accessToken(user, client = 'assistant') {
      const times = { iat: now(), exp: now() + 600 }
      const scope = 'resources:read prompts:get tools:call'
      const claims = { iss: issuer, sub: user, aud: `${url}/mcp`, client_id: client, scope }
      return token(issuerKey, 'at+jwt', { ...claims, ...times })
    },
    async end() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      const timer = setTimeout(() => child?.kill('SIGKILL'), endTimeout)
      await gone
      clearTimeout(timer)
    },
    async start() {
      child = spawn(program, ['--config', join(directory, 'pagemcpd.yaml')], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await untilReady(child)
    },
    async close() {
      child?.kill('SIGKILL')
      await rm(directory, { recursive: true, force: true })
    },
  }
  await node.start()
  return node
}

/** Waits until the log has the line that it serves. */
async function untilReady(child: ChildProcess): Promise<void> {
  let log = ''
  const timer = setTimeout(() => child.kill('SIGKILL'), startTimeout)
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    log += `${line}\n`
    if (!line.includes('"msg":"serving"')) continue
    clearTimeout(timer)
    child.stderr?.resume()
    return
  }
  clearTimeout(timer)
  throw new Error(`pagemcpd has ended: ${log}`)
}

/** A key for ES256 and its JWK; RFC 7517. */
function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), alg: 'ES256', kid: '1' } }
}

/** A JWT; RFC 7519. */
function token({ privateKey }: { privateKey: KeyObject }, typ: string, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'ES256', typ, kid: '1' })}.${part(claims)}`
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const }
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}

/** Makes one test for each browser that the file needs, with a browser that accepts the certificate. */
export function inBrowsersOf(
  certificate: Certificate,
  behaviour: string,
  run: (browser: TestBrowser) => Promise<void>,
): void {
  const name = browserUnderTest
  test(`${behaviour} (${name})`, { timeout: 240_000 }, async () => {
    const flags = name === 'chromium' ? [certificate.flag] : []
    const browser = await launch(name, { flags, acceptInsecureCerts: name === 'firefox' })
    try {
      await inContext(browser, name, run)
    } finally {
      await close(browser)
    }
  })
}
