import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { inBrowsers } from '../harness/browsers.ts'
import { serveDemos } from '../harness/build.ts'
import type { Served } from '../harness/serve.ts'

const config = {
  mcp: 'http://127.0.0.1:18808/mcp',
  gateway: 'ws://127.0.0.1:18808/page',
  tokenFile: '/home/me/.local/state/pagemcp/token',
  command: '/opt/my apps/pagemcp',
  state: '/home/me/other',
  demos: ['board', 'later', 'notes', 'world'],
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
    ['demo/board/', '_blank'],
    ['demo/world/', '_blank'],
    ['demo/later/', '_blank'],
  ])
  const ways = await page.$$eval('.way', (all) =>
    all.map((one) => [one.querySelector('h3')?.textContent, one.querySelector('pre')?.textContent]),
  )
  const texts = Object.fromEntries(ways) as { [title: string]: string }
  assert.deepEqual(Object.keys(texts), [
    'MCP URL',
    'Claude Code',
    'VS Code',
    'Other assistants',
    'curl',
    'Assistants that start a command',
  ])
  assert.equal(texts['MCP URL'], config.mcp)
  const commands = ['Claude Code', 'VS Code', 'Other assistants'].map((title) => texts[title])
  assert.deepEqual(
    commands,
    ['claude-code --state /home/me/other', 'vscode --state /home/me/other', '--list'].map(
      (rest) => `'/opt/my apps/pagemcp' install ${rest}`,
    ),
  )
  const { pagemcp } = JSON.parse(texts['Assistants that start a command'] ?? '').mcpServers
  assert.deepEqual(pagemcp, { command: config.command, args: ['stdio', '--state', config.state] })
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

inBrowsers('the chosen language holds for all pages, and in the links', async ({ open }) => {
  const page = await open(`${served.origin}/`)
  await page.waitForSelector('.language')
  await Promise.all([page.waitForNavigation(), page.select('.language', 'de')])
  await page.waitForSelector('a.demo') // they come last, after the gateway's address
  assert.match(await page.$eval('h1', (one) => one.textContent), /Webseite/)
  assert.equal(
    await page.$eval('#playground', (one) => one.getAttribute('href')),
    'playground/?lang=de',
  )
  const [notes] = await page.$$eval('a.demo', (all) => all.map((one) => one.getAttribute('href')))
  assert.equal(notes, 'demo/notes/?lang=de')
  const other = await open(`${served.origin}/demo/trip/`)
  await other.waitForSelector('.stops')
  assert.equal(await other.$eval('html', (one) => one.lang), 'de')
  assert.match(await other.$eval('.stops', (one) => one.textContent ?? ''), /Lissabon/)
})
