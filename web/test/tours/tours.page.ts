/**
 * Tours with other people's clients: TypeScript SDK v1, SDK v2 in its three modes, Inspector in its three eras, mcp-remote;
 * each against the conformance page in Chromium, through the gateway. test/clients has the other transports of the SDKs.
 */

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type Subject, startSubject } from '../conformance/subject.ts'
import { classicGuide } from './classic.ts'
import { type Inspect, inspectOnce, withInspector } from './inspector.ts'
import { type Mode, modernGuide } from './modern.ts'
import { alone, among, tour } from './tour.ts'

const timeout = 120_000 // ms, for a whole tour
const bin = join(import.meta.dirname, '..', '..', 'node_modules', '.bin')

let subject: Subject
let home: string
before(
  async () => {
    subject = await startSubject('conformance')
    home = await mkdtemp(join(tmpdir(), 'pagemcp-tours-'))
  },
  { timeout: 300_000 },
)
after(async () => {
  await subject?.close()
  if (home) await rm(home, { recursive: true, force: true })
})

const url = (path: string) => new URL(subject.front.url(path))

test('SDK v1 over HTTP, on the page’s own endpoint', { timeout }, async () => {
  const transport = new StreamableHTTPClientTransport(url('/mcp/conformance')) as Transport
  await tour(await classicGuide(transport), alone, subject)
})

test('SDK v1 over HTTP, among all pages', { timeout }, async () => {
  const transport = new StreamableHTTPClientTransport(url('/mcp')) as Transport
  await tour(await classicGuide(transport), among, subject)
})

for (const [mode, revision] of [
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
  ['pinned', '2026-07-28'],
] as [Mode, string][]) {
  test(`SDK v2 over HTTP, ${mode}`, { timeout }, async () => {
    const guide = await modernGuide(mode, new ModernHttp(url('/mcp/conformance')))
    assert.equal(guide.revision, revision)
    await tour(guide, alone, subject)
  })
}

test('mcp-remote, driven by SDK v1', { timeout }, async () => {
  const transport = new StdioClientTransport({
    command: join(bin, 'node'),
    args: [
      join(bin, 'mcp-remote'),
      subject.front.url('/mcp/conformance'),
      ...['--transport', 'http-only', '--allow-http', '--silent'],
    ],
    env: { HOME: home, PATH: process.env.PATH ?? '', MCP_REMOTE_CONFIG_DIR: home },
    stderr: 'ignore',
  })
  await tour(await classicGuide(transport), alone, subject)
})

for (const era of ['legacy', 'auto', 'modern'] as const) {
  const endpoint = () => subject.front.url('/mcp/conformance')
  const names = (list: unknown, name: string) =>
    (list as { [member: string]: unknown }[]).map((one) => one[name])

  test(`Inspector, ${era}`, { timeout }, async () => {
    const { resources } = await inspectOnce(home, endpoint(), era)('--method', 'resources/list')
    assert.ok(names(resources, 'uri').includes('test://static-text'))
    await withInspector(home, endpoint(), era, walk)
  })

  async function walk(inspect: Inspect): Promise<void> {
    const ask = (...args: string[]) => inspect('--method', ...args)
    const { resourceTemplates } = await ask('resources/templates/list')
    assert.deepEqual(names(resourceTemplates, 'uriTemplate'), ['test://template/{id}/data'])
    const { contents } = await ask('resources/read', '--uri', 'test://static-text')
    assert.deepEqual(names(contents, 'text'), ['This is the content of the static text resource.'])
    const { prompts } = await ask('prompts/list')
    assert.ok(names(prompts, 'name').includes('test_simple_prompt'))
    const { messages } = await ask(
      ...['prompts/get', '--prompt-name', 'test_prompt_with_arguments'],
      ...['--prompt-args', 'arg1=hello', 'arg2=world'],
    )
    assert.match(JSON.stringify(messages), /arg1='hello', arg2='world'/)
    const { tools } = await ask('tools/list')
    assert.ok(names(tools, 'name').includes('test_simple_text'))
    const { content } = await ask('tools/call', '--tool-name', 'test_simple_text')
    assert.deepEqual(names(content, 'text'), ['This is a simple text response for testing.'])
    await assert.rejects(ask('resources/read', '--uri', 'test://nowhere'), /not found/i)
    if (era === 'legacy') await ask('logging/setLevel', '--log-level', 'debug')
  }
}
