// The lines of `pagemcp watch`, which stands for a program that an assistant watches: what a click in a page prints, and what
// a kill of the gateway.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Gateway, program } from '../e2e/gateway.ts'
import { emit, inWorlds, join, useApp } from './world.ts'

const site = useApp()

/** How long a line may take, ms. */
const limit = 30_000

/** A watch that runs, and its lines. */
interface Watch {
  /** The next line that fits; those before it are dropped. */
  line(what: string, fits: (line: string) => boolean): Promise<string>
  /** All lines so far, with the time of each, ms. */
  readonly lines: { text: string; at: number }[]
  /** Ends it. */
  end(): Promise<void>
}

function watch({ state }: Gateway, ...args: string[]): Watch {
  const child: ChildProcess = spawn(program, ['watch', '--state', state, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: Watch['lines'] = []
  const wakes = new Set<() => void>()
  if (child.stdout === null) throw new Error('the program has no output')
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push({ text, at: performance.now() })
    for (const wake of wakes) wake()
    wakes.clear()
  })
  let next = 0
  return {
    lines,
    async line(what, fits) {
      const deadline = AbortSignal.timeout(limit)
      for (;;) {
        for (; next < lines.length; next++) {
          const text = lines[next]?.text as string
          if (fits(text)) {
            next++
            return text
          }
        }
        await new Promise<void>((resolve, reject) => {
          wakes.add(resolve)
          const late = () => reject(new Error(`waited for ${what}; ${JSON.stringify(lines)}`))
          deadline.addEventListener('abort', late, { once: true })
        })
      }
    },
    async end() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Clicks until the watch, which has just started, prints a line. */
async function watches(own: Watch, click: () => Promise<unknown>): Promise<void> {
  const found = own.line('the first line', () => true)
  let isFound = false
  found.then(
    () => {
      isFound = true
    },
    () => {},
  )
  while (!isFound) {
    await click()
    await Promise.race([found, new Promise((resolve) => setTimeout(resolve, 200))])
  }
}

inWorlds(site, 'a click prints a line with a URI, at most one a second', async (world) => {
  const { tab, name, gateway } = world
  const own = watch(gateway)
  const click = () => tab.click('button')
  await watches(own, click)
  const times: number[] = []
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 1_200)) // a pause: the next one is at once
    const before = own.lines.length
    const began = performance.now()
    await click()
    const line = await own.line('a line', (text) => text.includes('cart'))
    const uri = `${name}+notes://cart`
    assert.match(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /)
    assert.ok(line.endsWith(` changed, to be read by URI: ${uri} (named "Cart" by the page)`), line)
    times.push((own.lines[before]?.at ?? Infinity) - began)
  }
  assert.ok(Math.max(...times) < 1_000, `${times.map(Math.round).join()} ms`)
  const from = own.lines.length
  for (let i = 0; i < 100; i++) await click()
  await own.line('the last line', (text) => text.includes('cart'))
  const burst = own.lines.slice(from)
  for (const [i, { at }] of burst.entries()) {
    const last = burst[i - 1]?.at
    if (last !== undefined) assert.ok(at - last > 900, `${at - last} ms between two lines`)
  }
  await own.end()
})

inWorlds(
  site,
  'an event prints a line, and its data only where its page allows it',
  async (world) => {
    const { tab, name, gateway } = world
    for (const [event, args, data] of [
      ['shown', ['--contents'], ', the last time with {"id":7}'],
      ['shown', [], ''],
      ['saved', ['--contents'], ''],
    ] as const) {
      const uri = `${name}+event:///${event}`
      const own = watch(gateway, uri, ...args)
      await watches(own, () => emit(tab, event, { id: 7 }))
      const said = event === 'shown' ? 'It may be shown.' : 'A note was saved.'
      const [first] = own.lines
      assert.match(
        first?.text ?? '',
        new RegExp(
          `Z ${name}\\+event:///${event} happened( \\d+ times)? \\(the page says: "${said}"\\)${data}$`,
        ),
      )
      await own.end()
    }
  },
)

inWorlds(
  site,
  'a kill of the gateway is one line, and no event is lost by it; a reload may lose some',
  async (world) => {
    const { tab, name, gateway, restart } = world
    const own = watch(gateway)
    const happened = `${name}+event:///saved happened`
    await watches(own, () => tab.click('button'))
    await emit(tab, 'saved', { id: 1 })
    await own.line('the event', (text) => text.includes(happened))
    await restart(() => emit(tab, 'saved', { id: 2 }))
    await own.line('what was missed', (text) =>
      /Z no connection to the gateway for \d+ s: any of the \d+ resources may have changed/.test(
        text,
      ),
    )
    const all = () => own.lines.filter(({ text }) => text.includes(happened)).length
    while (all() < 2) await own.line('the second event', () => true)
    assert.equal(own.lines.filter(({ text }) => text.includes('no connection')).length, 1)
    await tab.reload()
    await join(tab, world.gateway)
    await own.line('the gap', (text) =>
      text.includes(
        `${name}+event:///saved (the page says: "A note was saved."): the page was loaded again`,
      ),
    )
    await own.end()
  },
)

inWorlds(site, 'what is no URI ends it with a reason in words', async ({ gateway }) => {
  const child = spawn(program, ['watch', '--state', gateway.state, 'not a uri'])
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(limit) })
  assert.notEqual(code, 0)
  assert.match(said, /"not a uri" cannot be watched: it is no URI/)
})
