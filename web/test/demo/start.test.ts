import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { inBrowsers } from '../harness/browsers.ts'
import { serveDemos } from '../harness/build.ts'
import type { Served } from '../harness/serve.ts'

const config = {
  mcp: 'http://127.0.0.1:18808/mcp',
  gateway: 'ws://127.0.0.1:18808/page',
  tokenFile: '/home/me/.local/state/pagemcp/token',
  demos: ['notes', 'later'],
}

let served: Served
before(async () => {
  served = await serveDemos({
    gateway: '127.0.0.1:18808',
    files: { '/pagemcp/config.json': JSON.stringify(config) },
  })
})
after(() => served?.close())

inBrowsers('the start page has the demos and a way to connect each assistant', async ({ open }) => {
  const page = await open(`${served.origin}/`)
  await page.waitForSelector('.way')
  const links = await page.$$eval('a.demo', (all) =>
    all.map((one) => [one.getAttribute('href'), (one as HTMLAnchorElement).target]),
  )
  assert.deepEqual(links, [
    ['demo/notes/', '_blank'],
    ['demo/later/', '_blank'],
  ])
  const ways = await page.$$eval('.way', (all) =>
    all.map((one) => [one.querySelector('h3')?.textContent, one.querySelector('pre')?.textContent]),
  )
  const texts = Object.fromEntries(ways) as { [title: string]: string }
  assert.deepEqual(Object.keys(texts), ['MCP URL', 'Claude Code', 'VS Code', 'curl'])
  assert.equal(texts['MCP URL'], config.mcp)
  assert.match(
    texts['Claude Code'] ?? '',
    /^claude mcp add --transport http pagemcp http:\/\/127\.0\.0\.1:18808\/mcp/,
  )
  assert.match(
    texts['Claude Code'] ?? '',
    /Bearer \$\(cat \/home\/me\/\.local\/state\/pagemcp\/token\)/,
  )
  assert.equal(JSON.parse(texts['VS Code'] ?? '').servers.pagemcp.url, config.mcp)
  assert.match(texts.curl ?? '', /Mcp-Method: resources\/list/)
})

inBrowsers('a browser that is not paired is told what to do', async ({ open }) => {
  const page = await open(`${served.origin}/`)
  await page.waitForSelector('#state[data-is=unpaired]')
  assert.match(
    await page.$eval('#state', (one) => one.textContent),
    /link that “pagemcp dev” has printed/,
  )
})

inBrowsers(
  'a link of a gateway that has gone says that the gateway does not answer',
  async ({ open }) => {
    const secret = { url: config.gateway, id: 'AAAAAAAAAAA', secret: 'A'.repeat(43) }
    const fragment = Buffer.from(JSON.stringify(secret)).toString('base64url')
    const page = await open(`${served.origin}/#pagemcp=${fragment}`)
    await page.waitForSelector('#state[data-is=silent]')
    assert.equal(
      await page.evaluate(() => location.hash),
      '',
      'the secret does not stay in the address',
    )
  },
)

inBrowsers('what connects an assistant is copied by one press', async ({ open, name, context }) => {
  const page = await open(`${served.origin}/`)
  if (name === 'chromium')
    await context.overridePermissions(served.origin, ['clipboard-sanitized-write'])
  await page.waitForSelector('.way .copy')
  await page.focus('.way .copy')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelector('.way .copy')?.textContent !== 'Copy')
  assert.match(await page.$eval('.way .copy', (one) => one.textContent), /Copied|Press Ctrl\+C/)
})

inBrowsers('the start page fits a phone', async ({ open }) => {
  const page = await open(`${served.origin}/`)
  await page.setViewport({ width: 360, height: 740 })
  await page.waitForSelector('.way')
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
})
