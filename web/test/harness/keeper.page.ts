import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { borrow, type Kept, keepBrowsers, maxUses } from './keeper.ts'
import { type BrowserName, browserNames } from './launch.ts'

/** Browsers that do not run: what is started and ended is written down. */
function imagined() {
  const log: string[] = []
  const running = new Set<string>()
  let count = 0
  return {
    log,
    running,
    async start(name: BrowserName): Promise<Kept> {
      const endpoint = `ws://${name}/${++count}`
      running.add(endpoint)
      log.push(`start ${endpoint}`)
      return {
        name,
        endpoint,
        isRunning: () => running.has(endpoint),
        async end() {
          running.delete(endpoint)
          log.push(`end ${endpoint}`)
        },
      }
    },
  }
}

/** A test file that uses a browser: which one it got, and how it ends. */
async function use(address: string, name: BrowserName) {
  const socket = connect(address)
  socket.write(`${name}\n`)
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const { value } = await lines.next()
  const end = async (last: string) => {
    socket.end(last)
    await once(socket, 'close')
  }
  return { got: value as string, giveBack: () => end('clean\n'), crash: () => end('') }
}

test('a browser is used by one file at a time, and by one after the other', async () => {
  const { start, log, running } = imagined()
  const { address, close } = await keepBrowsers(start)
  const first = await use(address, 'chromium')
  const second = await use(address, 'chromium')
  const fox = await use(address, 'firefox')
  assert.deepEqual(
    [first.got, second.got, fox.got],
    ['ws://chromium/1', 'ws://chromium/2', 'ws://firefox/3'],
  )
  await second.giveBack()
  await fox.giveBack()
  const third = await use(address, 'chromium')
  assert.equal(third.got, 'ws://chromium/2')
  await third.giveBack()
  await first.giveBack()
  assert.equal(log.length, 3)
  await close()
  assert.equal(running.size, 0)
})

test('a browser is replaced if it ended, was not given back, or is old', async () => {
  const { start, log, running } = imagined()
  const { address, close } = await keepBrowsers(start)
  await (await use(address, 'chromium')).crash()
  const next = await use(address, 'chromium')
  assert.deepEqual(log, ['start ws://chromium/1', 'end ws://chromium/1', 'start ws://chromium/2'])
  await next.giveBack()
  running.delete(next.got)
  const last = await use(address, 'chromium')
  assert.equal(last.got, 'ws://chromium/3')
  await last.giveBack()
  for (let n = 1; n < maxUses; n++) {
    const again = await use(address, 'chromium')
    assert.equal(again.got, 'ws://chromium/3')
    await again.giveBack()
  }
  const young = await use(address, 'chromium')
  assert.equal(young.got, 'ws://chromium/4')
  await close() // while it is used
  assert.equal(running.size, 0)
})

test('a browser that does not start fails the file that wanted it', async () => {
  const start = async () => {
    throw new Error('chromium is missing')
  }
  const { address, close } = await keepBrowsers(start)
  await assert.rejects(borrow('chromium', address), /chromium is missing/)
  await close()
  await assert.rejects(borrow('chromium', address), /no chromium/)
})

let browsers: Awaited<ReturnType<typeof keepBrowsers>>
before(async () => {
  browsers = await keepBrowsers()
})
after(() => browsers.close())

for (const name of browserNames) {
  test(`what a file leaves is not seen by the next one (${name})`, {
    timeout: 120_000,
  }, async () => {
    const first = await borrow(name, browsers.address)
    const endpoint = first.browser.wsEndpoint()
    const context = await first.browser.createBrowserContext()
    await context.newPage()
    await context.close()
    await first.giveBack(true)

    const second = await borrow(name, browsers.address)
    assert.equal(second.browser.wsEndpoint(), endpoint)
    await second.browser.createBrowserContext() // and does not close it
    await second.giveBack(true)

    const third = await borrow(name, browsers.address)
    assert.notEqual(third.browser.wsEndpoint(), endpoint)
    await third.browser.close() // ends the process
    await third.giveBack(true)

    const fourth = await borrow(name, browsers.address)
    await fourth.browser.newPage()
    await fourth.giveBack(true)
  })
}
