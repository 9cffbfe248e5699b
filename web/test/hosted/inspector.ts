/** Inspector's command line with its own OAuth client: it prints where its user signs in, and serves the redirect back. */

import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '../harness/ports.ts'
import type { Era } from '../tours/inspector.ts'
import type { Hosted } from './kit.ts'

const bin = join(import.meta.dirname, '..', '..', 'node_modules', '.bin')
const timeout = 30_000 // ms

/**
 * Calls one method as `user`, who signs in if Inspector asks for it.
 *
 * @param home - a directory that exists, where Inspector keeps tokens
 * @param args - such as `--method`, `tools/list`, …
 * @returns what it prints, and the URLs to which it sent its user
 */
export async function inspectAs(
  hosted: Hosted,
  user: string,
  home: string,
  era: Era,
  ...args: string[]
): Promise<{ printed: string; authorizations: string[] }> {
  const cookie = await hosted.cookie(user)
  await writeFile(join(home, 'xdg-open'), '#!/bin/sh\n') // what opens a browser, which is not wanted
  await chmod(join(home, 'xdg-open'), 0o755)
  const child = spawn(
    join(bin, 'node'),
    [
      ...[
        join(bin, 'mcp-inspector'),
        '--cli',
        hosted.mcp,
        '--transport',
        'http',
        '--protocol-era',
        era,
      ],
      ...['--callback-url', `http://127.0.0.1:${await freePort()}/oauth/callback`],
      ...['--format', 'json', '-q', ...args],
    ],
    {
      env: {
        ...process.env,
        HOME: home,
        PATH: `${home}:${bin}:${process.env.PATH}`,
        NODE_EXTRA_CA_CERTS: hosted.certificate,
        MCP_AUTO_OPEN_ENABLED: 'true', // without a terminal, it does not sign in otherwise
        MCP_INSPECTOR_SECRET_STORE: 'file',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout,
    },
  )
  const authorizations: string[] = []
  let said = ''
  const signIns: Promise<unknown>[] = []
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said += part
    const urls = said.match(/https?:\S+\/authorize\?\S+(?=\n)/g) ?? []
    for (const url of urls.slice(authorizations.length)) {
      authorizations.push(url)
      // A client without a browser: its own redirect ends at Inspector.
      signIns.push(fetch(url, { headers: { cookie } }))
    }
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const printed = await text(child.stdout)
  const code = await ended
  await Promise.all(signIns)
  if (code !== 0) throw new Error(`Inspector ended with ${code}: ${said}${printed}`)
  return { printed, authorizations }
}
