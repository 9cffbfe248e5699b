/** A server to check: the engine in Node with every kind of thing, and the faults that can be put before it. */

import { readFileSync } from 'node:fs'
import { parseChecks } from '../../../playground/check/parse.ts'
import { type Report, type RunOptions, runChecks } from '../../../playground/check/run.ts'
import { inPage } from '../../../playground/connections/in-page.ts'
import type { Dialer } from '../../../playground/connections/transport.ts'
import { Store } from '../../../playground/messages/store.ts'
import { type PageMcp, start } from '../../../src/index.ts'
import { engineModule, goRuntime } from '../../core/load.ts'
import '../../core/worker.ts'

/** An engine that has resources of both kinds, templates, prompts and tools, in more than one page. */
export async function goodServer(): Promise<PageMcp> {
  await goRuntime()
  const mcp = await start({
    name: 'good',
    title: 'Good server',
    version: '1.0.0',
    pageSize: 50,
    capabilities: { logging: true },
    cache: { ttlMs: 1000 },
    urls: { wasm: await engineModule() },
  })
  const icon = 'data:image/png;base64,iVBORw0KGgo='
  for (const n of [1, 2, 3, 4])
    mcp.resource(
      `notes://${n}`,
      {
        name: `note ${n}`,
        title: `Note ${n}`,
        mimeType: 'text/plain',
        ...(n === 1 && { size: 6 }),
        icons: [{ src: icon, mimeType: 'image/png' }],
        annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-07-28T00:00:00Z' },
      },
      () => `note ${n}`,
    )
  mcp.resources(
    Array.from({ length: 120 }, (_, i) => [
      { uri: `many://${i}`, name: `many ${i}` },
      () => `${i}`,
    ]),
  )
  mcp.resource(
    'media://dot',
    { name: 'dot', mimeType: 'image/png' },
    () => new Uint8Array([1, 2, 3, 4]),
  )
  mcp.resources('lines://{n}', {
    name: 'line',
    mimeType: 'text/plain',
    complete: { n: ['1', '2'] },
    read: ({ n }) => (Number(n) < 9 ? `line ${n}` : undefined),
  })
  mcp.prompt(
    'ask',
    {
      arguments: [{ name: 'note', required: true }, { name: 'how' }],
      complete: { note: ['1'], how: ['short'] },
    },
    ({ note = '' }) => [
      { role: 'user', content: { type: 'text', text: `About ${note}` } },
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: 'notes://1', mimeType: 'text/plain', text: 'note 1' },
        },
      },
      { role: 'user', content: { type: 'image', data: 'AQID', mimeType: 'image/png' } },
    ],
  )
  mcp.tool(
    'add',
    { inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
    () => 'added',
  )
  return mcp
}

export const dialerOf = (mcp: PageMcp): Dialer => inPage('Good server', async () => mcp.port())

export const checks = parseChecks(
  readFileSync(new URL('../../../playground/check/checks.txtar', import.meta.url), 'utf8'),
)

export const check = (
  dialer: Dialer,
  options: Partial<RunOptions> = {},
  some = checks,
): Promise<Report> =>
  runChecks(dialer, some, {
    store: new Store((run) => queueMicrotask(run)),
    signal: new AbortController().signal,
    ...options,
  })
