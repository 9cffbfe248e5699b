/**
 * The story of development mode, told in every development server: the page fails, `pagemcp watch` prints one line, an
 * assistant reads the error, its developer mends the source, and the error is closed.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Page } from 'puppeteer-core'
import { type Gateway, program } from '../e2e/gateway.ts'
import { limit, post } from '../harness/client.ts'

/** Lines of `pagemcp watch`. */
export interface Watch {
  /** The next line that fits, with when it came, ms since 1970. */
  next(fits: RegExp): Promise<{ text: string; time: number }>
  /** All that have come. */
  lines: readonly string[]
  close(): Promise<void>
}

export function watch({ state }: Pick<Gateway, 'state'>, ...args: string[]): Watch {
  const child = spawn(program, ['watch', '--state', state, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const times: number[] = []
  let wake = () => {}
  let from = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    times.push(Date.now())
    wake()
  })
  return {
    lines,
    async next(fits) {
      const deadline = AbortSignal.timeout(limit)
      for (;;) {
        for (; from < lines.length; from++) {
          const text = lines[from] as string
          if (fits.test(text)) return { text, time: times[from++] as number }
        }
        await new Promise<void>((resolve, reject) => {
          wake = resolve
          const late = () => reject(new Error(`no line fits ${fits}:\n${lines.join('\n')}`))
          deadline.addEventListener('abort', late, { once: true })
        })
      }
    },
    async close() {
      const gone = once(child, 'exit')
      child.kill()
      await gone
    },
  }
}

/** The entries of a resource of lines of JSON. */
export async function read(gateway: Gateway, uri: string): Promise<Record<string, unknown>[]> {
  const answer = JSON.parse(await post(gateway, 'resources/read', { uri })) as {
    result?: { contents: { text: string }[] }
  }
  const text = answer.result?.contents[0]?.text
  assert.notEqual(text, undefined, JSON.stringify(answer))
  return (text as string)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

export interface Story {
  gateway: Gateway
  /** The page's name at the gateway. */
  name: string
  /** Opens the page. */
  open(): Promise<Page>
  /** The source with the mistake, in the file system. */
  source: string
  /** Where the error has to be; `line` 0: the server has no maps of sources, any will do. */
  place: { file: RegExp; line: number }
  /** How the server applies a change; `reload`: by loading the page again. */
  applies: 'update' | 'reload'
}

const mistake = "'EUR'"
const mended = "'eur'"

/** Returns how long the line of `pagemcp watch` took, ms after the error. */
export async function driveDev(story: Story): Promise<number> {
  const { gateway, name, source, place, applies } = story
  const updates = `${name}+dev:///hmr`
  const watching = watch(gateway, '--contents', 'event:///error', updates)
  try {
    const page = await story.open()
    await watching.next(/list of resources of [\w-]+ has changed/)
    await page.click('button')
    const { text, time } = await watching.next(/event:\/\/\/error happened/)
    assert.match(text, /format is not a function/)
    assert.match(text, place.file)

    const [error = {}] = await read(gateway, `${name}+dev:///errors`)
    assert.equal(error.open, true)
    assert.equal(error.times, 1)
    assert.match(String(error.file), place.file)
    if (place.line > 0) assert.equal(error.line, place.line)
    assert.match(String((error.stack as string[])[0]), /total/)

    writeFileSync(source, readFileSync(source, 'utf8').replace(mistake, mended))
    if (applies === 'reload') await page.reload()
    else await watching.next(/dev:\/\/\/hmr/)
    const left = await read(gateway, `${name}+dev:///errors`)
    assert.deepEqual(
      left.filter(({ open }) => open),
      [],
    )
    await page.click('button')
    await page.waitForFunction("document.querySelector('output').textContent === '5.00'")
    return time - Date.parse(String(error.time))
  } finally {
    await watching.close()
  }
}
