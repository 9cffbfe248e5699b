// The playground is left while its parts load, which end with the document: that is no error.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, mock, test } from 'node:test'
import { part } from '../../../playground/base/part.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { leave } from '../../harness/waits.ts'
import { type Playground, servePlayground } from '../harness.ts'

const held: { [path: string]: () => void } = {}
let playground: Playground
before(async () => {
  playground = await servePlayground({ '/other.html': '<script>loaded = true</script>' }, held)
})
after(() => playground.close())

/** The chunks that are loaded on demand: all but those that main.js needs at once. */
function lazyChunks(directory: string): string[] {
  const needed = new Set<string>()
  const add = (file: string) => {
    if (needed.has(file)) return
    needed.add(file)
    const text = readFileSync(join(directory, file), 'utf8')
    for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/(?:chunks\/)?([\w-]+\.js)"/g)) {
      add(`chunks/${name}`)
    }
  }
  add('main.js')
  const all = readdirSync(join(directory, 'chunks')).map((name) => `chunks/${name}`)
  return all.filter((file) => file.endsWith('.js') && !needed.has(file))
}

inBrowsers(
  'the playground may be left while parts of it load',
  async ({ open }) => {
    const lazy = lazyChunks(join(playground.directory, 'playground'))
    assert.ok(lazy.length > 10)
    let requests = 0
    let requested: () => void = () => {}
    const several = new Promise<void>((resolve, reject) => {
      requested = resolve
      setTimeout(reject, 20_000, new Error('no part was requested in 20 s')).unref()
    })
    for (const file of lazy) {
      held[`/playground/${file}`] = () => {
        if (++requests < 3) return
        // The rest is served: with six requests that wait, Chromium has no connection for the next page.
        for (const path of Object.keys(held)) delete held[path]
        requested()
      }
    }
    const tab = await open('about:blank')
    await leave(tab, `${playground.url}?lang=en`)
    await several
    await leave(tab, '/other.html')
    await tab.waitForFunction('window.loaded')
  },
  { moving: true },
)

test('a part that is missing is an error of a document that stays', async () => {
  const window = new EventTarget()
  Object.assign(globalThis, {
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
  })
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const failure = assert.rejects(part(Promise.reject(new TypeError('missing'))), /missing/)
    await Promise.resolve()
    mock.timers.tick(1000)
    await failure

    let fail: (error: Error) => void = () => {}
    let failed = false
    const late = part(new Promise((_, reject) => (fail = reject))).catch(() => (failed = true))
    window.dispatchEvent(new Event('beforeunload')) // the next document takes its time
    fail(new Error('ended'))
    for (let i = 0; i < 5; i++) await Promise.resolve()
    mock.timers.tick(59_999)
    for (let i = 0; i < 5; i++) await Promise.resolve()
    assert.equal(failed, false)
    mock.timers.tick(1) // the document has stayed
    await late
  } finally {
    mock.timers.reset()
  }
})
