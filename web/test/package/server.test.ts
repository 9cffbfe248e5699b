// On a server: frameworks import modules and render components there, where nothing must start.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { install } from './installed.ts'

const app = install(['react', 'react-dom', 'scheduler'])
after(() => app.remove())

/** Runs a module in the app; its output as JSON. */
function evaluate(code: string): unknown {
  const file = join(app.directory, 'main.js')
  writeFileSync(file, code)
  const options = { cwd: app.directory, encoding: 'utf8', timeout: 60_000 } as const
  return JSON.parse(execFileSync(process.execPath, [file], options))
}

const entries = ['', '/client', '/react']

for (const entry of entries) {
  test(`importing pagemcp${entry} has no effect`, () => {
    const seen = evaluate(`
      const globals = () => Object.getOwnPropertyNames(globalThis)
      const before = globals()
      const resources = process.getActiveResourcesInfo().sort()
      const made = await import('pagemcp${entry}')
      await new Promise((resolve) => setImmediate(resolve))
      const added = globals().filter((name) => !before.includes(name))
      console.log(JSON.stringify({
        exports: Object.keys(made).length > 0,
        added,
        resources: process.getActiveResourcesInfo().sort().filter((one) => !resources.includes(one)),
      }))`)
    assert.deepEqual(seen, { exports: true, added: [], resources: [] })
  })
}

for (const access of ['open', 'ask']) {
  test(`start, ${access}, makes an engine that never starts, of which everything can be used`, () => {
    const seen = evaluate(
      `
      import { start } from 'pagemcp'
      let made = 0
      globalThis.Worker = class { constructor() { made++ } }
      const mcp = start({ name: 'app', access: '${access}' })
      mcp.ready.then(() => made++, () => made++)
      mcp.resource('app:cart', { name: 'Cart' }, ['apples']).set(['pears'])
      mcp.tool('add', () => 'added')()
      mcp.changed()
      const { joined } = mcp.connect()
      joined.catch(() => {})
      const other = start({ name: 'app' })
      await new Promise((resolve) => setImmediate(resolve))
      const { engine } = mcp.state
      mcp.close()
      console.log(JSON.stringify({ engine, made, isOther: other !== mcp }))`.replace(
        '{ start }',
        '{ start }',
      ),
    )
    assert.deepEqual(seen, { engine: 'starting', made: 0, isOther: true })
  })
}

test('components with all hooks render to a string', () => {
  const seen = evaluate(`
    import { createElement } from 'react'
    import { renderToString } from 'react-dom/server'
    import * as hooks from 'pagemcp/react'
    function Cart() {
      hooks.useMcp()
      hooks.useResource('app:cart', { name: 'Cart' }, ['apples'])
      hooks.useResources('app:items/{id}', { name: 'Item', read: () => 'item' })
      hooks.useTool('add', { inputSchema: { type: 'object' } }, () => 'added')
      hooks.usePrompt('plan', () => 'Plan.')
      return createElement('p', null, 'Cart')
    }
    const render = (mcp) =>
      renderToString(createElement(hooks.PageMcpProvider, { mcp }, createElement(Cart)))
    console.log(JSON.stringify([render(undefined), Object.keys(hooks).sort().join()]))`)
  assert.deepEqual(seen, [
    '<p>Cart</p>',
    'PageMcpProvider,useMcp,usePrompt,useResource,useResources,useTool',
  ])
})
