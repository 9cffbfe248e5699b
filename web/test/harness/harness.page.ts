import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inBrowsers } from './browsers.ts'
import { launch } from './launch.ts'
import { type Served, serve } from './serve.ts'

let served: Served
before(async () => {
  const script = `<script type="module">
    import { twice } from '/lib.ts'
    document.title = twice(21)
  </script>`
  served = await serve({
    files: {
      '/': `<!doctype html><meta charset="utf-8"><title>?</title>${script}`,
      '/lib.ts': 'export const twice = (n: number): string => String(n * 2)',
    },
    directories: { '/harness/': import.meta.dirname },
  })
})
after(() => served.close())

inBrowsers('a browser runs TypeScript that is served', async ({ open }) => {
  const page = await open(`${served.origin}/`)
  assert.equal(await page.title(), '42')
})

inBrowsers('loopback names and ports are different origins', async ({ open }) => {
  const page = await open(`${served.otherOrigin}/`)
  assert.equal(await page.evaluate(() => self.origin), served.otherOrigin)
  await page.goto(`${served.origin}/`)
  assert.equal(await page.evaluate(() => self.origin), served.origin)
})

test('nothing outside of the directories is served', { timeout: 10_000 }, async () => {
  const inside = await fetch(`${served.origin}/harness/serve.ts`, {
    signal: AbortSignal.timeout(5000),
  })
  assert.equal(inside.status, 200)
  for (const path of [
    '/harness/..%2fidb%2fkeys.test.ts',
    '/harness/%2e%2e/idb/keys.test.ts',
    '/nothing',
  ]) {
    const outside = await fetch(`${served.origin}${path}`, { signal: AbortSignal.timeout(5000) })
    assert.equal(outside.status, 404, path)
    await outside.text()
  }
})

test('a missing browser is a failure that says what to install', async () => {
  const before = process.env.PAGEMCP_CHROMIUM
  process.env.PAGEMCP_CHROMIUM = '/nowhere/chromium'
  try {
    await assert.rejects(launch('chromium'), /apt-get install -y chromium/)
  } finally {
    if (before === undefined) delete process.env.PAGEMCP_CHROMIUM
    else process.env.PAGEMCP_CHROMIUM = before
  }
})
