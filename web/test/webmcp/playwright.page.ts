/** A stock assistant that reads WebMCP: Playwright MCP, in a Chromium with the feature, at the trip demo. No gateway runs. */

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { built } from '../harness/build.ts'
import { close, launch } from '../harness/launch.ts'
import { serve } from '../harness/serve.ts'
import { explainTimeouts } from '../harness/waits.ts'

test('Playwright MCP reads the plan of the trip demo, and adds a stop', {
  timeout: 120_000,
}, async (t) => {
  const { directory, remove } = await built()
  t.after(remove)
  const site = await serve({ directories: { '/': directory } })
  t.after(() => site.close())
  const browser = await launch('chromium', { flags: ['--enable-features=WebMCP'] })
  t.after(() => close(browser))
  const [page] = await browser.pages()
  assert.ok(page)
  explainTimeouts(page)
  await page.goto(`${site.origin}/demo/trip/index.html`)
  await page.waitForFunction(async () => {
    const { modelContext } = document as unknown as {
      modelContext: { getTools(): Promise<{ name: string }[]> }
    }
    return (await modelContext.getTools()).some(({ name }) => name === 'add_stop')
  })

  const written = await mkdtemp(join(tmpdir(), 'pagemcp-playwright-'))
  t.after(() => rm(written, { recursive: true, maxRetries: 10 }))
  const client = new Client({ name: 'test', version: '1' })
  t.after(() => client.close())
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [
        new URL('../../node_modules/@playwright/mcp/cli.js', import.meta.url).pathname,
        `--cdp-endpoint=${browser.wsEndpoint()}`,
      ],
      cwd: written, // snapshots and logs
      stderr: 'ignore',
    }),
  )
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    const text = (content as { text?: string }[]).map(({ text }) => text).join('\n')
    assert.notEqual(isError, true, text)
    return text
  }
  await call('browser_snapshot')
  const { tools } = await client.listTools()
  const addStop = tools.find(({ name }) => name === 'webmcp_add_stop')
  assert.deepEqual(addStop?.inputSchema.required, ['place', 'nights'])
  assert.match(await call('webmcp_list_resources'), /trip:\/\/plan/)
  assert.match(await call('webmcp_add_stop', { place: 'Porto', nights: 2 }), /Porto/)
  await page.waitForFunction(() => document.body.textContent?.includes('Porto'))
  assert.match(await call('webmcp_read_resource', { uri: 'trip://plan' }), /Porto/)
})
