// What differs between browsers, in the engine of Safari: Workers, WebAssembly, sockets, IndexedDB, locks over tabs, the
// back/forward cache, and clicks on the question of consent.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { app } from '../access/app.ts'
import { servePages } from '../core/browser/built.ts'
import { askUntil } from '../e2e/again.ts'
import { type Gateway, ownPorts, pageUrl, startGateway } from '../e2e/gateway.ts'
import { fetchAnswer, post } from '../harness/client.ts'
import type { Served } from '../harness/serve.ts'
import { type Playground, servePlayground } from '../playground/harness.ts'
import { startWebKit, type WebKit } from './driver.ts'

const notes = `
import { idb, start } from '/pagemcp/index.js'
const opening = indexedDB.open('notes-app', 1)
opening.onupgradeneeded = () => opening.result.createObjectStore('notes')
await new Promise((resolve) => { opening.onsuccess = resolve })
window.put = (key, value) => new Promise((resolve) => {
  const change = opening.result.transaction('notes', 'readwrite')
  change.objectStore('notes').put(value, key)
  change.oncomplete = () => resolve()
})
const mcp = await start({ name: 'notes', access: 'open' })
mcp.mount(idb({ databases: { 'notes-app': ['notes'] } }))
mcp.tool('add', { annotations: { readOnlyHint: true } }, ({ left, right }) => String(left + right))
window.connection = mcp.connect(new URLSearchParams(location.search).get('gateway'))
window.joined = () => connection.state?.is === 'joined' && connection.state.name
window.ready = true`

let site: Served
let playground: Playground
let gateway: Gateway
let webkit: WebKit
before(
  async () => {
    site = await servePages({ '/notes.html': notes, '/app.html': app })
    playground = await servePlayground()
    const args = [`--allow-origin=${site.origin}`, ...(await ownPorts('serve'))]
    gateway = await startGateway({ command: 'serve', args })
    webkit = await startWebKit()
  },
  { timeout: 300_000 },
)
after(async () => {
  await webkit?.close()
  await Promise.all([gateway?.close(), site?.close(), playground?.close()])
})

const notesUrl = () =>
  `${site.origin}/notes.html?gateway=${encodeURIComponent(pageUrl(gateway))}#${gateway.pairing?.replace(/^#/, '')}`
const joined = async () => {
  await webkit.until('window.ready && joined()')
  return webkit.run<string>('joined()')
}
const read = (uri: string) => post(gateway, 'resources/read', { uri })

test('a page joins, serves a record and a tool, and announces changes', async () => {
  await webkit.open(notesUrl())
  assert.equal(await joined(), 'notes')
  await webkit.run("put(1, { text: 'milk' })")
  const uri = 'notes+idb:///notes-app/notes/n.1'
  assert.match(await read(uri), /milk/)
  const arguments_ = { left: 20, right: 22 }
  const called = await post(gateway, 'tools/call', { name: 'notes__add', arguments: arguments_ })
  assert.match(called, /"42"/)

  const listening = await fetchAnswer(gateway, 'subscriptions/listen', {
    notifications: { resourceSubscriptions: [uri] },
  })
  let heard = ''
  for await (const part of listening.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    heard += part
    if (heard.includes('notifications/resources/updated')) break
    if (heard.includes('acknowledged')) await webkit.run("put(1, { text: 'bread' })")
  }
  assert.match(heard, /notifications\/resources\/updated/)
  assert.match(await read(uri), /bread/)
})

test('a reload keeps the name, and a second tab gets another one', async () => {
  await webkit.reload()
  assert.equal(await joined(), 'notes')
  await webkit.newTab()
  await webkit.open(notesUrl())
  assert.equal(await joined(), 'notes-2')
  assert.match(await read('notes-2+idb:///notes-app/notes/n.1'), /bread/)
})

test('a page that was left and is shown again joins with its name', async () => {
  await webkit.open(`${playground.origin}/blank.html`)
  await webkit.back()
  assert.equal(await joined(), 'notes-2')
  const isServed = (text: string) => text.includes('bread')
  await askUntil('the page serves', () => read('notes-2+idb:///notes-app/notes/n.1'), isServed)
})

test('the question of consent takes a click, and the assistant reads', async () => {
  await webkit.closeTab()
  await webkit.open(`${site.origin}/app.html?access=ask`)
  await webkit.until('window.ready')
  await webkit.run("send('1', 'claude-code', 'resources/read', { uri: 'access:///read' })")
  await webkit.until('kit.isAsked()')
  const shown = await webkit.run<number>('performance.now()')
  await webkit.until(`performance.now() > ${shown} + 600`) // the dialog ignores clicks before
  await webkit.clickAt("kit.place('Allow this time')")
  await webkit.until("answers.has('1')")
  assert.match(await webkit.run("JSON.stringify(answers.get('1'))"), /shared this page/)
  await webkit.run("send('2', 'claude-code', 'resources/read', { uri: 'notes://1' })")
  await webkit.until("answers.has('2')")
  assert.match(await webkit.run("JSON.stringify(answers.get('2'))"), /text 1/)
})

test('the playground answers before anything is clicked', async () => {
  await webkit.open(`${playground.url}?lang=en`)
  const rows = "[...document.querySelectorAll('[data-pane=timeline] [role=row]')]"
  await webkit.until(
    `${rows}.some((row) => row.textContent.includes('notifications/resources/updated'))`,
  )
})
