/**
 * What an assistant gets from a tab in each state that a browser can give it, and how soon: a table, printed as
 * Markdown.
 *
 * `PAGEMCP_HIDDEN` is how long a tab is hidden, in minutes; default 10.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pass } from 'node:timers/promises'
import { servePages } from '../core/browser/built.ts'
import { type Gateway, ownPorts, pageUrl, startGateway } from './gateway.ts'
import { asker, reader } from './reader.ts'
import { inChromium, inFirefox } from './tab-states.ts'

const hiddenFor = Number(process.env.PAGEMCP_HIDDEN ?? 10) // min
const reads = 20 // of each kind in each state

/** `counter` is a published value that changes twice a second, as often as the browser lets it. */
const app = `
import * as lib from '/pagemcp/index.js'
const query = new URLSearchParams(location.search)
const opening = indexedDB.open('db', 1)
opening.onupgradeneeded = () => opening.result.createObjectStore('s').put('stored', 'key')
await new Promise((resolve) => { opening.onsuccess = resolve })
opening.result.close()
const mcp = await lib.start({ name: 'app', access: 'open' })
mcp.resource({ uri: 'app://value', name: 'value' }, 'a value')
mcp.resources([[{ uri: 'app://one', name: 'one' }, { of: 'many' }]])
mcp.resource({ uri: 'app://function', name: 'function' }, () => 'computed')
mcp.template({ uriTemplate: 'app://items/{id}', name: 'item' }, ({ id }) => 'item ' + id)
mcp.mount(lib.idb({ databases: { db: ['s'] } }))
mcp.tool({ name: 'touch' }, () => 'touched')
const counter = mcp.resource({ uri: 'app://counter', name: 'counter' }, '0')
let count = 0
setInterval(() => counter.set(String(++count)), 500)
await mcp.connect(lib.webSocket(query.get('gateway'))).joined`

/** What is read, by kind; the last one is a tool. */
const kinds = {
  'published value': 'app://value',
  'value of `resources`': 'app://one',
  function: 'app://function',
  template: 'app://items/7',
  'IndexedDB record': 'idb:///db/s/s.key',
  tool: 'touch',
}

type Row = (string | number)[]

/** What values, and what everything else, gives. */
type Expected = readonly [values: string, others: string]
const awake: Expected = ['content', 'content']
const frozen: Expected = ['error -32603 page-asleep', 'error -32603 page-asleep']
const gone: Expected = ['error -32603 page-away', 'error -32603 page-away']

/** Asks for each kind, some times, and describes what came. */
async function observe(gateway: Gateway, state: string, expected: Expected): Promise<Row[]> {
  const ask = await asker(gateway, '2026-07-28')
  const rows: Row[] = []
  for (const [kind, name] of Object.entries(kinds)) {
    const took: number[] = []
    const results = new Set<string>()
    for (let i = 0; i < reads; i++) {
      const began = performance.now()
      const text = await (kind === 'tool'
        ? ask('tools/call', { name: `app.${name}` })
        : ask('resources/read', { uri: `app+${name}` }))
      took.push(performance.now() - began)
      results.add(described(text))
    }
    const result = [...results].join('; ')
    assert.equal(result, expected[kind.includes('value') ? 0 : 1], `${kind}, ${state}`)
    took.sort((a, b) => a - b)
    const [median = 0, worst = 0] = [took[reads >> 1], took.at(-1)]
    rows.push([state, kind, result, median.toFixed(1), worst.toFixed(1)])
  }
  return rows
}

function described(text: string): string {
  const { result, error } = JSON.parse(text)
  if (error) return `error ${error.code} ${error.data?.reason ?? ''}`.trim()
  if (result.isError) return `tool error: ${result.content[0].text.slice(0, 60)}`
  return result._meta?.['io.github.pagemcp/ageMs'] === undefined ? 'content' : 'content with age'
}

/** Waits until a read says what is expected; how long that took, ms. */
async function until(
  gateway: Gateway,
  name: string,
  expected: (text: string) => boolean,
  patience = 60_000,
): Promise<number> {
  const read = await reader(gateway, '2026-07-28')
  const began = performance.now()
  for (;;) {
    const text = await read(`app+${name}`)
    if (expected(text)) return performance.now() - began
    assert.ok(performance.now() - began < patience, `waited for another result of ${name}: ${text}`)
  }
}

const isContent = (text: string) => described(text) === 'content'

const browsers = { chromium: inChromium, firefox: inFirefox }

test('what a tab gives in each state', { timeout: (hiddenFor + 10) * 60_000 }, async () => {
  const site = await servePages({ '/app.html': app })
  const rows: Row[] = []
  const run = async (name: keyof typeof browsers) => {
    const args = [
      ...(await ownPorts('dev')),
      '--allow-origin',
      site.origin,
      '--reads-per-second',
      '10000',
    ]
    const gateway = await startGateway({ args })
    const { hash } = new URL((await gateway.fresh()).pages.notes ?? '')
    const query = new URLSearchParams({ gateway: pageUrl(gateway) })
    const tab = await browsers[name](`${site.origin}/app.html?${query}${hash}`)
    const tell = (...row: Row) => rows.push([name, ...row])
    const see = async (state: string, expected = awake) => {
      for (const row of await observe(gateway, state, expected)) tell(...row)
    }
    const known = async (state: string, expected: (text: string) => boolean) => {
      const after = await until(gateway, 'app://function', expected)
      tell(state, 'known after', '', after.toFixed(0), '')
    }
    /** How often the page has changed its counter in a time, ms, as read. */
    const changes = async (ms: number) => {
      const read = await reader(gateway, '2026-07-28')
      const count = async () => JSON.parse(await read('app+app://counter')).result.contents[0].text
      const before = Number(await count())
      await pass(ms)
      return Number(await count()) - before
    }
    try {
      await until(gateway, 'app://value', isContent)
      await see('visible')
      await tab.act('hide')
      await see('just hidden')
      await pass(hiddenFor * 60_000)
      const long = `hidden for ${hiddenFor} min`
      await see(long)
      tell(long, 'changes in 120 s', await changes(120_000), '', '')
      if (name === 'chromium') {
        await tab.act('freeze')
        await known('frozen', (text) => text.includes('page-asleep'))
        await see('frozen', frozen)
        // Chromium closes the connection of a frozen tab when it wakes: the page joins again.
        await tab.act('show')
        await known('shown again', isContent)
        await see('shown again')
        await tab.act('hide')
      }
      await tab.act('discard')
      await known('discarded', (text) => text.includes('page-away'))
      await see('discarded', gone)
      await tab.act('show')
      await known('shown again', isContent)
      await see('shown again')
    } finally {
      await tab.close()
      await gateway.close()
    }
  }
  try {
    await Promise.all([run('chromium'), run('firefox')])
  } finally {
    site.close()
    const head = ['browser', 'state', 'kind', 'result', 'median ms', 'worst ms']
    for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`)
  }
})
