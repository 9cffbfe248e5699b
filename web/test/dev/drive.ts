/**
 * The story of development mode, told in every development server: the page fails, `pagemcp watch` prints one line, an
 * assistant reads the error, its developer mends the source, and the error is closed.
 */

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
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

/** The link by which the first page of an origin joins. */
export function pairingLink({ state }: Pick<Gateway, 'state'>, url: string): string {
  const args = ['pair', '--state', state, '--json', new URL(url).origin]
  return (JSON.parse(execFileSync(program, args, { encoding: 'utf8' })) as { url: string }).url
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
  /** Whether the server has no hot updates: the page is loaded again. */
  reloads?: boolean
  /** To measure: `pagemcp watch` prints at once what comes after a quiet second, ms. */
  quiet?: number
}

const mistake = "'EUR'"
const mended = "'eur'"

/** Returns how long the line of `pagemcp watch` took, ms after the error, and the error as it was read then. */
export async function driveDev(
  story: Story,
): Promise<{ ms: number; error: Record<string, unknown> }> {
  const { gateway, name, source, place, reloads = false, quiet } = story
  const wakes = watch(gateway, '--contents', 'event:///error')
  /** The errors, once they are as they have to be. */
  const errorsOnce = async (fits: (errors: Record<string, unknown>[]) => boolean) => {
    for (;;) {
      const errors = await read(gateway, `${name}+dev:///errors`)
      if (fits(errors)) return errors
      await pause(50) // ms
    }
  }
  try {
    const page = await story.open()
    if (quiet !== undefined) await pause(quiet)
    await page.click('button')
    const { text, time } = await wakes.next(/event:\/\/\/error happened/)
    assert.match(text, /"message":"TypeError: [^"]+","file":"[^"]+","line":\d+/)

    const [error = {}] = await errorsOnce(([first]) => place.file.test(String(first?.file)))
    assert.match(String(error.message), /format is not a function/)
    if (place.line > 0) assert.equal(error.line, place.line)
    assert.match(String((error.stack as string[])[0]), /total/)

    writeFileSync(source, readFileSync(source, 'utf8').replace(mistake, mended))
    if (reloads) await page.reload()
    await errorsOnce((errors) => errors.every(({ open }) => open === false))
    const updates = await read(gateway, `${name}+dev:///hmr`)
    assert.equal(updates.at(-1)?.kind, reloads ? 'reload' : 'update')
    // Until the framework shows the new code.
    await page.waitForFunction(
      "(document.querySelector('button').click(), document.querySelector('output').textContent === '5.00')",
    )
    return { ms: time - Date.parse(String(error.time)), error }
  } finally {
    await wakes.close()
  }
}
