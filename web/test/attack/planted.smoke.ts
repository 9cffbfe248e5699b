/**
 * A script that gets into the page after it has started (security.md, T8, S16) has the page's authority, and no more: it
 * gets no port of others, none of their traffic, and no bytes of the key by which the page is known to its gateway.
 * That it can read what the page can, and ask the engine as a client of its own, no page can prevent.
 */

import assert from 'node:assert/strict'
import { servePages } from '../core/browser/built.ts'
import { fakeGateway } from '../core/browser/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { envelope } from '../harness/client.ts'

const page = `
import { start } from '/pagemcp/index.js'
const given = new URLSearchParams(location.search)
const mcp = await start({ name: 'notes' })
mcp.resource('notes://a', { name: 'a' }, () => 'CANARY content')
mcp.tool('send', ({ text }) => 'CANARY answer ' + text.length)
await mcp.connect(given.get('gateway')).joined
window.admit = () => mcp.listen({ origins: [given.get('client')] })
window.ready = true`

/** A client in a frame of another origin. It begins when it is asked to. */
const client = `
import { testClient } from '/test/harness/client.ts'
import { connectTo } from '/pagemcp/client.js'
const { origin } = new URL(document.referrer)
addEventListener('message', async ({ data }) => {
  if (data !== 'work') return
  const client = testClient(await connectTo(parent, { origin }))
  document.title = JSON.stringify([
    await client.askModern('resources/read', { uri: 'notes://a' }),
    await client.askModern('tools/call', { name: 'send', arguments: { text: 'CANARY argument' } }),
  ])
})`

/** Runs in the page: looks into all that passes, from now on. */
function plant(): void {
  const loot: string[] = []
  Object.assign(globalThis, { loot })
  const look = (what: string, ...given: unknown[]) => {
    for (const one of given) {
      if (one instanceof MessagePort) loot.push(`${what}: a port`)
      try {
        loot.push(`${what}: ${JSON.stringify(one)}`)
      } catch {
        // what is no JSON has no words
      }
      if (Array.isArray(one)) for (const each of one) look(what, each)
    }
  }
  for (const owner of [MessagePort, Worker, BroadcastChannel]) {
    const original = owner.prototype.postMessage as (...given: never[]) => void
    Object.defineProperty(owner.prototype, 'postMessage', {
      configurable: true,
      value(this: unknown, ...given: never[]) {
        look(`${owner.name}.postMessage`, this, ...given)
        return Reflect.apply(original, this, given)
      },
    })
  }
  for (const name of ['MessageChannel', 'WebSocket', 'Worker', 'BroadcastChannel'] as const) {
    const Original = globalThis[name] as never as new (...given: unknown[]) => object
    Object.assign(globalThis, {
      [name]: new Proxy(Original, {
        construct(target, given) {
          const made = new target(...given)
          look(`new ${name}`, made, ...given)
          if (made instanceof MessageChannel || name === 'MessageChannel') {
            loot.push('a channel of others: a port')
          }
          return made
        },
      }),
    })
  }
  for (const event of ['message', 'messageerror']) {
    addEventListener(
      event,
      (got) => look(event, (got as MessageEvent).data, ...(got as MessageEvent).ports),
      true,
    )
  }
  for (const name of ['pagemcp', 'pagemcp.tabs', 'pagemcp.idb']) {
    new BroadcastChannel(name).onmessage = ({ data }) => look(name, data)
  }
  for (const name of ['exportKey', 'importKey', 'deriveKey', 'deriveBits', 'sign'] as const) {
    const original = SubtleCrypto.prototype[name] as (...given: never[]) => unknown
    Object.defineProperty(SubtleCrypto.prototype, name, {
      configurable: true,
      value(this: unknown, ...given: never[]) {
        look(name, ...given)
        return Reflect.apply(original, this, given)
      },
    })
  }
}

/** Runs in the page: what keys there are in its databases, and what they say of themselves. */
async function keys(): Promise<{ found: number; exported: string[] }> {
  const done = (request: IDBRequest) =>
    new Promise<unknown>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  let found = 0
  const exported: string[] = []
  const search = async (value: unknown): Promise<void> => {
    if (value instanceof CryptoKey) {
      found++
      for (const format of ['raw', 'jwk', 'pkcs8', 'spki'] as const) {
        await crypto.subtle.exportKey(format as 'raw', value).then(
          () => exported.push(format),
          () => {},
        )
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) await search(inner)
    }
  }
  for (const { name = '' } of await indexedDB.databases()) {
    const database = (await done(indexedDB.open(name))) as IDBDatabase
    for (const store of database.objectStoreNames) {
      await search(await done(database.transaction(store).objectStore(store).getAll()))
    }
    database.close()
  }
  return { found, exported }
}

inBrowsers(
  'a script planted after start gets no port, no traffic of others, no key',
  async ({ open }) => {
    const gateway = await fakeGateway()
    const site = await servePages(
      { '/page.html': page, '/client.html': client },
      { 'access-control-allow-origin': '*' },
    )
    try {
      const joining = (async () => {
        const peer = await gateway.dialled()
        await gateway.join(peer)
        return peer
      })()
      const query = `gateway=${encodeURIComponent(gateway.url)}&client=${site.otherOrigin}`
      const tab = await open(`${site.origin}/page.html?${query}${gateway.fragment}`)
      const peer = await joining
      await tab.waitForFunction('window.ready')
      await tab.evaluate(plant)
      await tab.evaluate('void admit()') // what this loads is loaded after the script

      // A client comes, reads and calls; so does the gateway.
      await tab.evaluate(async (src) => {
        const frame = document.createElement('iframe')
        const loaded = new Promise((resolve) => {
          frame.onload = resolve
        })
        frame.src = src
        document.body.append(frame)
        await loaded
        frame.contentWindow?.postMessage('work', '*')
      }, `${site.otherOrigin}/client.html`)
      const frame = await tab.waitForFrame((one) => one.url().endsWith('/client.html'))
      await frame.waitForFunction('document.title.includes("CANARY")', { polling: 50 })
      const answers = await frame.evaluate(() => document.title)
      assert.match(answers, /CANARY content/)
      assert.match(answers, /CANARY answer 15/)
      const params = { uri: 'notes://a', _meta: envelope }
      peer.send({ jsonrpc: '2.0', id: 7, method: 'resources/read', params })
      let read = await peer.next()
      while (read.id !== 7) read = await peer.next()
      assert.match(JSON.stringify(read), /CANARY content/)

      const loot = (await tab.evaluate('loot')) as string[]
      assert.deepEqual(
        loot.filter((one) => /CANARY|a port|secret/.test(one)),
        [],
      )
      const { found, exported } = await tab.evaluate(keys)
      assert.ok(found > 0, 'the page keeps a key')
      assert.deepEqual(exported, [])
      // The twin: the same script sees what a page sends that posts by itself.
      const twin = await tab.evaluate(() => {
        const { port1 } = new MessageChannel()
        port1.postMessage('CANARY')
        return (globalThis as never as { loot: string[] }).loot
      })
      assert.ok(
        twin.some((one) => one.includes('CANARY')) && twin.some((one) => one.includes('a port')),
      )
    } finally {
      await gateway.close()
      await site.close()
    }
  },
)
