/** The playground beside somebody's own page: a client of the engine in it, and of nothing else. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { inBrowsers } from '../../harness/browsers.ts'
import { type Playground, servePlayground } from '../harness.ts'

const host = `<!doctype html><title>host</title>
<script type="module" src="/playground/element.js"></script>
<script type="module">
  import { start } from '/pagemcp/index.js'
  const mcp = await start({ name: 'host', title: 'My own page' })
  mcp.resource('host://greeting', { name: 'greeting' }, () => 'hello from the host')
  globalThis.mcp = mcp
  document.querySelector('mcp-playground')?.connect(mcp.port(), 'My own page')
</script>`

let playground: Playground
before(async () => {
  playground = await servePlayground({
    '/host.html': `${host}<mcp-playground lang="en" title="Playground"></mcp-playground>`,
    '/forbidden.html': `<meta http-equiv="Content-Security-Policy" content="frame-src 'none'">${host}<mcp-playground></mcp-playground>`,
    '/stranger.html': `<script>
      addEventListener('message', ({ data }) => { if (data?.pagemcp === 'playground-ready') globalThis.isReady = true })
    </script>${host}<iframe src="/playground/embed.html?lang=en&allow=https://other.example"></iframe>`,
  })
})
after(() => playground?.close())

inBrowsers(
  'an element that is moved keeps its clients',
  async ({ open }) => {
    const page = await open(`${playground.origin}/host.html`)
    const showsOneClient = async () => {
      const frame = await page.waitForFrame((one) => one.url().includes('embed.html'))
      await frame.waitForFunction(() =>
        document.querySelector('[data-pane=explore]')?.textContent?.includes('host://greeting'),
      )
      assert.equal(await frame.$$eval('.clients .letter', (all) => all.length), 1)
      return frame
    }
    const first = await showsOneClient()
    const detached = new Promise((resolve) => page.once('framedetached', resolve))
    await page.evaluate(() => document.body.prepend(document.querySelector('mcp-playground') ?? ''))
    await detached
    const second = await showsOneClient()
    assert.notEqual(second, first)
    const removed = new Promise((resolve) => page.once('framedetached', resolve))
    await page.evaluate(() => {
      const element = document.querySelector('mcp-playground') ?? ''
      document.querySelector('mcp-playground')?.remove()
      setTimeout(() => document.body.append(element), 100)
    })
    await removed
    const third = await showsOneClient()
    await third.evaluate(() => {
      document.documentElement.classList.add('before')
      location.reload()
    })
    await third.waitForSelector('html:not(.before)')
    await showsOneClient()
  },
  { only: ['chromium'] },
)

inBrowsers('a frame that does not load says which header is missing', async ({ context }) => {
  const page = await context.newPage() // not the harness's open: Firefox reports the refused frame as an error
  await page.goto(`${playground.origin}/forbidden.html`)
  await page.waitForFunction(() =>
    document.querySelector('mcp-playground [role=alert]')?.textContent?.includes('frame-ancestors'),
  )
  const text = await page.$eval('mcp-playground [role=alert]', (one) => one.textContent)
  assert.ok(text?.includes(`frame-ancestors ${playground.origin}`), text ?? '')
})

inBrowsers(
  'a page whose origin was not named cannot hand a server over',
  async ({ open }) => {
    const page = await open(`${playground.origin}/stranger.html`)
    const frame = await page.waitForFrame((one) => one.url().includes('embed.html'))
    await frame.waitForSelector('.bar')
    // It listens now, and says so once: what comes later is an answer.
    await page.waitForFunction(() => 'mcp' in globalThis && 'isReady' in globalThis)
    const answered = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const { mcp } = globalThis as unknown as { mcp: { port(): MessagePort } }
          const port = mcp.port()
          const inner = document.querySelector('iframe')?.contentWindow
          inner?.postMessage({ pagemcp: 'playground', title: 'x' }, location.origin, [port])
          // Messages of a window come in their order: by this answer the one before was looked at.
          addEventListener('message', (event) => resolve(JSON.stringify(event.data)), {
            once: true,
          })
          inner?.addEventListener(
            'message',
            (event) => event.data === 'fence' && resolve('looked at'),
          )
          inner?.postMessage('fence', location.origin)
        }),
    )
    assert.equal(answered, 'looked at')
    assert.equal(await frame.$$eval('.clients .letter', (all) => all.length), 0)
  },
  { only: ['chromium'] },
)
