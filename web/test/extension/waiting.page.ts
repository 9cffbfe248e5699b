/**
 * The extension asks by its popup, before a tab is read: no read waits for the user, so that none becomes a task, also for
 * a client that takes tasks. What waits in a page is tested in tasks/tasks.page.ts.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Gateway, startGateway } from '../e2e/gateway.ts'
import { post } from '../harness/client.ts'
import { serve } from '../harness/serve.ts'
import { chromium } from './chromium.ts'
import type { Kit } from './person.ts'

interface Result {
  readonly resultType: string
  readonly isError?: boolean
  readonly content?: unknown
  readonly tools?: readonly { readonly name: string }[]
}

/** Sends a request of a client that takes tasks. */
async function request(
  gateway: Gateway,
  method: string,
  params: { readonly name?: string; readonly arguments?: object } = {},
): Promise<Result> {
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const text = await post(gateway, method, params, '', capabilities)
  const { result } = JSON.parse(text) as { result?: Result }
  return result ?? assert.fail(`${method}: ${text}`)
}

async function readsWithoutTasks(kit: Kit): Promise<void> {
  const page = (title: string) =>
    `<!doctype html><title>${title}</title><link rel="icon" href="data:,"><body>${title} text`
  const served = await serve({ files: { '/soup': page('Soup'), '/cake': page('Cake') } })
  const gateway = await startGateway({ args: ['--allow-origin', kit.origin] })
  const installed = await kit.install([served.origin])
  const person = await kit.arrive(installed)
  try {
    const { name } = await person.join((await gateway.fresh()).start)
    await person.open(`${served.origin}/soup`)
    const soup = await person.idOf('Soup')
    await person.tick(soup)
    await person.open(`${served.origin}/cake`)
    const cake = await person.idOf('Cake')
    const read = (id: number) =>
      request(gateway, 'tools/call', {
        name: 'read_resource',
        arguments: { uri: `${name}+tab:///${id}/text` },
      })

    const ticked = await read(soup)
    assert.equal(ticked.resultType, 'complete')
    assert.match(JSON.stringify(ticked.content), /Soup text/)
    const unticked = await read(cake)
    assert.deepEqual([unticked.resultType, unticked.isError], ['complete', true])
    assert.doesNotMatch(JSON.stringify(unticked), /Cake/)
    const { tools = [] } = await request(gateway, 'tools/list')
    const generated = ['list_resources', 'read_resource', 'wait_for_change']
    assert.deepEqual(tools.map((tool) => tool.name).sort(), generated) // the extension has none to ask about
    assert.equal(await person.popup.$('pagemcp-question'), null)
  } finally {
    await person.leave()
    await Promise.all([gateway.close(), served.close(), installed.remove()])
  }
}

test('no request to the extension waits for its user, or becomes a task', () =>
  readsWithoutTasks(chromium))
