/** Inspector's command line, in one of its three eras. */

import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { timeout } from './guide.ts'
import type { Answer } from './inspector-process.ts'

const bin = join(import.meta.dirname, '..', '..', 'node_modules', '.bin')

export type Era = 'legacy' | 'auto' | 'modern'

/** Calls one method, with arguments such as `--method`, `resources/read`, `--uri`, …, and returns the result that is printed. */
export type Inspect = (...args: string[]) => Promise<{ [member: string]: unknown }>

const options = (url: string, era: Era) => [
  ...[url, '--transport', 'http'],
  ...['--protocol-era', era],
  ...['--format', 'json', '-q'],
]

function result(printed: string) {
  const message = JSON.parse(printed) as { result?: unknown }
  return (message.result ?? message) as { [member: string]: unknown }
}

/** Calls as users do: by the program, which starts for each call. */
export const inspectOnce =
  (home: string, url: string, era: Era): Inspect =>
  async (...args) => {
    const { stdout } = await promisify(execFile)(
      join(bin, 'node'),
      [join(bin, 'mcp-inspector'), '--cli', ...options(url, era), ...args],
      { env: { ...process.env, HOME: home }, timeout },
    )
    return result(stdout)
  }

/**
 * Runs a story in which all calls are made by one process.
 *
 * @param home - where it may keep its files
 */
export async function withInspector(
  home: string,
  url: string,
  era: Era,
  story: (inspect: Inspect) => Promise<void>,
): Promise<void> {
  const child = fork(join(import.meta.dirname, 'inspector-process.ts'), {
    env: { ...process.env, HOME: home },
  })
  const ended = once(child, 'exit')
  try {
    await story(async (...args) => {
      child.send([...options(url, era), ...args])
      const late = AbortSignal.timeout(timeout)
      const ends = ended.then(([code]) => {
        throw new Error(`Inspector has ended with ${code} in ${args.join(' ')}`)
      })
      const [answer] = (await Promise.race([once(child, 'message', { signal: late }), ends])) as [
        Answer,
      ]
      if (answer.error !== undefined) throw new Error(answer.error)
      return result(answer.printed)
    })
  } finally {
    child.kill()
    await ended
  }
}
