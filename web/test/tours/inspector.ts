/** Inspector's command line: a process for each call, in one of its three eras. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { timeout } from './guide.ts'

const bin = join(import.meta.dirname, '..', '..', 'node_modules', '.bin')

export type Era = 'legacy' | 'auto' | 'modern'

/**
 * Calls one method, and returns the result that is printed.
 *
 * @param home - where it may keep its files
 * @param args - such as `--method`, `resources/read`, `--uri`, …
 * @throws what `execFile` rejects with, with `stderr`, if the server answers with an error
 */
export async function inspect(home: string, url: string, era: Era, ...args: string[]) {
  const options = [
    '--cli',
    url,
    '--transport',
    'http',
    '--protocol-era',
    era,
    '--format',
    'json',
    '-q',
  ]
  const env = { ...process.env, HOME: home, PATH: `${bin}:${process.env.PATH}` }
  const { stdout } = await promisify(execFile)(
    join(bin, 'node'),
    [join(bin, 'mcp-inspector'), ...options, ...args],
    { env, timeout },
  )
  const printed = JSON.parse(stdout) as { result?: unknown }
  return (printed.result ?? printed) as { [member: string]: unknown }
}
