/** The client of the extension's authors, `@modelcontextprotocol/ext-tasks`, with a page in a browser. */

import assert from 'node:assert/strict'
import {
  type ConnectedMcpSessionPort,
  createApplicationInputHandler,
  resultFromTaskOutcome,
  withTasks,
} from '@modelcontextprotocol/ext-tasks/client'
import { inBrowsers } from '../harness/browsers.ts'
import { joined, request, type TaskApp, useTaskApp } from './app.ts'

const app = useTaskApp()

/** A session that sends each request by HTTP. */
function sessionPort({ gateway }: TaskApp): ConnectedMcpSessionPort {
  return {
    endpointId: gateway.mcp,
    taskCapabilities: { generation: 'v2', capabilities: {} },
    invalidated: false,
    async dispatch(message) {
      const { method, params = {} } = message as {
        method: string
        params?: { _meta?: object; [name: string]: unknown }
      }
      const { _meta: _, ...own } = params // the envelope is that of `request`
      const { result, error } = await request(gateway, method, own)
      if (error) return { kind: 'error', error: error as never }
      return { kind: 'result', result: result as never }
    },
    onServerRequest: () => () => {},
    onNotification: () => () => {},
    onInvalidated: () => () => {},
  }
}

inBrowsers(
  'the client of the extension runs a task with a question, and gets errors as they are',
  async ({ open }) => {
    const all = app()
    const page = await open(await all.invited())
    const tab = await joined(page)
    const asked: string[] = []
    const session = withTasks(sessionPort(all), {
      onInputRequest: createApplicationInputHandler({
        elicitation(incoming) {
          asked.push(JSON.stringify(incoming))
          return { action: 'accept', content: {} }
        },
        sampling: () => assert.fail('the page asks no model'),
        roots: () => assert.fail('the page asks for no roots'),
      }),
    })
    const execution = await session.callTool(`${tab}work`, {})
    const { outcome } = await execution.settle()
    const result = resultFromTaskOutcome(outcome)
    assert.match(JSON.stringify(result), /"text":"done: accept"/)
    assert.equal(asked.length, 1)
    assert.match(asked[0] ?? '', /Take the second step\?/)

    const other = await session.callTool(`${tab}once`, {})
    await page.waitForFunction(() => localStorage.once === '1')
    await other.cancel()
    await assert.rejects(
      async () => resultFromTaskOutcome((await other.settle()).outcome),
      /cancel/i,
    )
    await session.close()
    await page.close()
  },
  { only: ['chromium'] },
)
