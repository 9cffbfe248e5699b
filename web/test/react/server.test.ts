// Rendering on a server: the hooks do nothing, and touch no engine.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import type { PageMcp } from '../../src/index.ts'
import {
  PageMcpProvider,
  useMcp,
  usePrompt,
  useResource,
  useResources,
  useTool,
} from '../../src/react.ts'

/** What `start` returns, of which nothing may be used. */
const untouchable = new Proxy({} as PageMcp, {
  get(_, name) {
    throw new Error(`${String(name)} was used on the server`)
  },
})

function Everything() {
  const mcp = useMcp()
  useResource('app:value', { name: 'Value' }, 'value')
  useTool('tool', () => 'tool')
  usePrompt('prompt', () => 'prompt')
  useResources('app://{id}', { name: 'Template', read: () => 'template' })
  return createElement('p', null, `${mcp === undefined}`)
}

for (const mcp of [untouchable, undefined]) {
  test(`react-dom/server renders components ${mcp ? 'with' : 'without'} an engine that starts`, () => {
    const element = createElement(PageMcpProvider, { mcp }, createElement(Everything))
    assert.equal(renderToString(element), `<p>${mcp === undefined}</p>`)
  })
}
