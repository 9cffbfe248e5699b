// Each assistant gets by every method of both eras what the user has granted, and nothing else. The twin is open.

import assert from 'node:assert/strict'
import type { PageMcp } from '../../src/start.ts'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { assistants, isRefusal, policyApp, rights, rows } from './policy.ts'

declare const mcp: PageMcp
declare function request(
  era: string,
  who: string,
  method: string,
  params: object,
): Promise<{ answer: string; notified: string[] }>

const app = `${policyApp}
const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
window.request = async (era, principal, method, params) => {
  const { port1, port2 } = new MessageChannel()
  mcp.accept(port1, { principal })
  const notified = []
  const waiting = new Map()
  port2.onmessage = ({ data }) => {
    if (data.method === 'notifications/subscriptions/acknowledged') waiting.get(2)?.(data)
    else if (data.method) notified.push(JSON.stringify(data))
    else waiting.get(data.id)?.(data)
  }
  const ask = (id, method, params) => new Promise((resolve) => {
    waiting.set(id, resolve)
    port2.postMessage({ jsonrpc: '2.0', id, method, params })
  })
  if (era === 'classic') {
    await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } })
    port2.postMessage({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  const answer = await ask(2, method, era === 'classic' ? params : { ...params, _meta: modern })
  if (params.notifications || method === 'resources/subscribe') {
    mcp.changed('note:a')
    await ask(3, 'resources/list', era === 'classic' ? {} : { _meta: modern }) // whatever came before is here
  }
  port2.close()
  return { answer: JSON.stringify(answer), notified }
}
window.ready = true`

for (const access of ['ask', 'open'] as const) {
  inBrowsers(`every method agrees with the decisions of the user (${access})`, async ({ open }) => {
    const site = await servePages({ '/app.html': app })
    try {
      for (const name of ['notes', 'mail'] as const) {
        const tab = await open(`${site.origin}/app.html?app=${name}&access=${access}`)
        await tab.waitForFunction('window.ready')
        if (access === 'ask') {
          await tab.evaluate(async (own) => {
            for (const [assistant, rights] of Object.entries(own)) {
              await mcp.access.revoke(assistant) // nothing is asked
              for (const right of rights) await mcp.access.allow(assistant, right)
            }
          }, rights[name])
        }
        const wrong: string[] = []
        for (const assistant of assistants) {
          const own: readonly string[] =
            access === 'open' ? ['read', 'act'] : rights[name][assistant]
          for (const era of ['classic', 'modern'] as const) {
            for (const { method, params = {}, want, right, era: only = era } of rows) {
              if (only !== era) continue
              const may = right === 'any' ? own.length > 0 : own.includes(right)
              const { answer, notified } = await tab.evaluate(
                (era, who, method, params) => request(era, who, method, params),
                era,
                assistant,
                method,
                params,
              )
              if (answer.includes(want) !== may || (!may && !isRefusal(method, answer))) {
                wrong.push(`${name}, ${assistant}, ${era}: ${method}, may ${may}: ${answer}`)
              }
              const isTold = notified.some((text) => text.includes('updated'))
              if (/subscri/.test(method) && isTold !== may) {
                wrong.push(`${name}, ${assistant}, ${era}: ${method}: told of a change: ${isTold}`)
              }
            }
          }
        }
        assert.deepEqual(wrong, [])
      }
    } finally {
      await site.close()
    }
  })
}
