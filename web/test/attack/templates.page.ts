/**
 * Templates and URIs that cost (security.md, S7): templates that would are refused when they are registered, with a reason,
 * and no URI against those that are left keeps the engine from answering. Times are those of TestMatchIsBounded.
 */

import assert from 'node:assert/strict'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'

const page = `
import { start } from '/pagemcp/index.js'
const mcp = await start({ name: 'test', capabilities: { completions: true } })
window.errors = []
mcp.on('error', (error) => errors.push(String(error)))
window.restarts = 0
mcp.on('state', ({ engine }) => { if (engine !== 'running') restarts++ })
window.template = (uriTemplate) => mcp.template({ uriTemplate, name: 'n' }, (variables) => JSON.stringify(variables))
const waiting = new Map()
const port = mcp.port()
port.onmessage = ({ data }) => waiting.get(data.id)?.(data)
let last = 0
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
window.ask = (method, params) => new Promise((resolve) => {
  waiting.set(++last, resolve)
  port.postMessage({ jsonrpc: '2.0', id: last, method, params: { ...params, _meta } })
})
window.ready = true`

const variables = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`)

/** What each is refused for. */
const refused: { readonly [template: string]: RegExp } = {
  '{v:5000}': /scheme/,
  'a:{v:10000}': /1 to 9999/,
  'a:{a}{b}': /nothing between/,
  'a:{a}{+b}': /nothing between/,
  'a:{/a*}/{b}{?a}': /stands twice/,
  'a:{a,}': /name/,
  [`a:{${variables(33)}}`]: /32 variables/,
  [`a:${variables(500).map((one) => `{/${one}}`)}`]: /32 variables|percent-encode/,
  [`a:${'x'.repeat(9000)}{v}`]: /8 KiB/,
  'a:\u202e{v}': /hidden/,
}

const long = 'a,'.repeat(4000)

/** What may be registered, and URIs that are hard for it. */
const allowed: { readonly [template: string]: readonly string[] } = {
  'b:{v:5000}': [`b:${'x'.repeat(5000)}`, `b:${'x'.repeat(8000)}`, `b:${'%C3%A9'.repeat(1300)}`],
  'c:{a,b,c}': [`c:${long}`, `c:${'x'.repeat(8000)}`, `c:${','.repeat(8000)}`],
  'd:{+a,b,c,d,e,f,g,h}!': [`d:${long}`, `d:${long}!`],
  'e:{/a*,b*,c*}': [`e:${'/x'.repeat(4000)}`, `e:${'//'.repeat(4000)}`],
  'f:{+a}a{+b}a{+c}a{+d}a{+e}a{+f}!': [`f:${'a'.repeat(8000)}`],
  'g:{?a,b,c}': [`g:?a=${'&b='.repeat(2000)}`, `g:?${'a=1&'.repeat(1500)}`],
  [`h:{${variables(32)}}`]: [`h:${long}`],
}

inBrowsers('templates that cost are refused, and URIs cost no engine', async ({ open }) => {
  const site = await servePages({ '/page.html': page })
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    for (const [template, reason] of Object.entries(refused)) {
      const said = (await tab.evaluate(`(async () => {
        const before = errors.length
        try { template(${JSON.stringify(template)}) } catch (error) { return String(error) }
        await ask('resources/templates/list')
        return errors.slice(before).join()
      })()`)) as string
      assert.match(said, reason, template.slice(0, 80))
      assert.ok(said.length < 700, said)
    }
    for (const [template, uris] of Object.entries(allowed)) {
      const before = (await tab.evaluate('errors.length')) as number
      await tab.evaluate(`template(${JSON.stringify(template)})`)
      for (const uri of uris) {
        const answer = (await tab.evaluate(
          `ask('resources/read', { uri: ${JSON.stringify(uri)} })`,
        )) as { result?: unknown; error?: unknown }
        assert.ok(answer.result ?? answer.error, `${template} of ${uri.slice(0, 20)}`)
      }
      const errors = (await tab.evaluate('errors')) as string[]
      assert.deepEqual(errors.slice(before), [], template)
    }
    const list = JSON.stringify(await tab.evaluate(`ask('resources/templates/list')`))
    for (const template of Object.keys(refused)) {
      assert.ok(!list.includes(JSON.stringify(template)), template.slice(0, 80))
    }
    for (const template of Object.keys(allowed)) assert.ok(list.includes(template), template)
    assert.equal(await tab.evaluate('restarts'), 0, 'the engine is the first one still')
  } finally {
    await site.close()
  }
})
