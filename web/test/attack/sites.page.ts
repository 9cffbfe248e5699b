/**
 * What other sites try in a real browser (security.md, S1 S2 S3 S11): pages on another port, sandboxed frames, data:
 * documents and Workers open sockets, post forms and include files. The gateway runs without a token, so that nothing
 * but its guard stands in the way. Not one request may reach an engine, and not one byte a page.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { BrowserContext, Page } from 'puppeteer-core'
import { type Gateway, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { envelope } from '../harness/client.ts'
import { browserUnderTest, close, launch } from '../harness/launch.ts'
import { type Served, serve } from '../harness/serve.ts'

let gateway: Gateway
let evil: Served
before(async () => {
  gateway = await startGateway({ args: ['--no-token'] })
  evil = await serve({ files: { '/': '<!doctype html><title>evil</title><body>' } })
})
after(async () => {
  await evil?.close()
  await gateway?.close()
})

const message = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'server/discover',
  params: { _meta: envelope },
})

/** Where the attacks go. */
interface Targets {
  mcp: string // http://127.0.0.1:PORT
  web: string
  message: string
  patience: number // ms; what takes longer did not work
}

/** Where attempts have to fail: all of this time passes. */
const briefly = 2000 // ms

/** Where they have to work, on a machine that is busy. */
const patiently = 15_000 // ms

function targets(host = '127.0.0.1', of = gateway, patience = briefly): Targets {
  const at = (url: string) => `http://${host}:${new URL(url).port}`
  return { mcp: at(of.mcp), web: at(of.web), message, patience }
}

/** Runs in a window, a frame or a Worker, alone: what got through, by name. */
async function attack({ mcp, web, message, patience }: Targets): Promise<string[]> {
  const through: string[] = []
  const tried: Promise<unknown>[] = []
  const attempt = (name: string, works: Promise<unknown>) => {
    const late = new Promise((_, reject) => setTimeout(reject, patience))
    tried.push(
      Promise.race([works, late])
        .then(() => through.push(name))
        .catch(() => {}),
    )
  }
  for (const [path, at, protocols] of [
    ['page', mcp, ['pagemcp.v1']],
    ['ws', mcp, ['mcp']],
    ['live', web, []],
  ] as const) {
    attempt(
      `WebSocket ${path}`,
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`${at.replace('http', 'ws')}/${path}`, [...protocols])
        socket.onopen = resolve
        socket.onmessage = resolve
        socket.onerror = reject
        socket.onclose = reject
      }),
    )
  }
  const json = { 'content-type': 'application/json' }
  const headers = {
    ...json,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'server/discover',
  }
  attempt('fetch', fetch(`${mcp}/mcp`, { method: 'POST', body: message, headers }))
  attempt(
    'fetch, JSON alone',
    fetch(`${mcp}/mcp`, { method: 'POST', body: message, headers: json }),
  )
  attempt('fetch GET', fetch(`${mcp}/mcp`))
  attempt('fetch of the start page', fetch(`${web}/`))
  attempt('fetch of the engine', fetch(`${web}/pagemcp/engine.wasm`))
  // Nobody sees what becomes of these; the audit log would.
  const simple = { method: 'POST', body: message, mode: 'no-cors' } as const
  await fetch(`${mcp}/mcp`, simple).catch(() => {})
  await fetch(`${mcp}/mcp`, {
    ...simple,
    body: new Blob([message], { type: 'text/plain' }),
  }).catch(() => {})
  if (typeof document !== 'undefined') {
    navigator.sendBeacon(`${mcp}/mcp`, message)
    const load = (element: HTMLScriptElement | HTMLImageElement | HTMLLinkElement) =>
      new Promise((resolve, reject) => {
        element.onload = resolve
        element.onerror = reject
        document.body.append(element)
      })
    const script = document.createElement('script')
    script.src = `${web}/demo/notes/main.js`
    attempt('script', load(script))
    const image = document.createElement('img')
    image.src = `${web}/icon.svg`
    attempt('img', load(image))
    const sheet = document.createElement('link')
    sheet.rel = 'stylesheet'
    sheet.href = `${web}/style.css`
    attempt('style sheet', load(sheet))
    const frame = document.createElement('iframe')
    frame.name = 'sink'
    const form = document.createElement('form')
    Object.assign(form, { method: 'POST', enctype: 'text/plain', target: 'sink' })
    form.action = `${mcp}/mcp`
    const field = document.createElement('input')
    // name=value of a text/plain form makes valid JSON: {"jsonrpc":…,"x":"=" …}
    field.name = message.replace(/}$/, ',"x":"')
    field.value = '"}'
    form.append(field)
    document.body.append(frame, form)
    await new Promise((resolve) => {
      frame.onload = resolve
      setTimeout(resolve, patience)
      form.submit()
    })
  }
  await Promise.all(tried)
  return through
}

/** Not the harness's open: Firefox counts every request that is refused as an error of the page. */
async function visit(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  return page
}

/** What the gateway has served at its ports: commands come by its socket. */
async function served(): Promise<string> {
  const lines = await readFile(join(gateway.state, 'audit.jsonl'), 'utf8')
  return lines.replace(/^.*(?:"verb":"(?:refuse|login)"|"door":"\/control\/).*\n/gm, '') // what was refused at the door
}

inBrowsers('a page on another port gets nothing', async ({ context }) => {
  for (const origin of [evil.origin, evil.otherOrigin]) {
    const page = await visit(context, origin)
    for (const host of ['127.0.0.1', 'localhost']) {
      assert.deepEqual(await page.evaluate(attack, targets(host)), [], `${origin} to ${host}`)
    }
  }
  assert.equal(await served(), '')
})

inBrowsers(
  'the same attempts work where the origin is listed',
  async ({ context }) => {
    // The web server shares with nobody, listed or not.
    const lists = {
      '--allow-origin': ['WebSocket page'],
      '--allow-assistant-origin': ['WebSocket ws', 'fetch', 'fetch GET', 'fetch, JSON alone'],
    }
    for (const [list, expected] of Object.entries(lists)) {
      const friendly = await startGateway({ args: ['--no-token', `${list}=${evil.origin}`] })
      try {
        const page = await visit(context, evil.origin)
        const through = await page.evaluate(attack, targets('127.0.0.1', friendly, patiently))
        assert.deepEqual(through.sort(), expected, list)
      } finally {
        await friendly.close()
      }
    }
  },
  { only: ['chromium'] },
)

inBrowsers('sandboxed frames, data: documents and Workers get nothing', async ({ context }) => {
  const page = await visit(context, evil.origin)
  const outcomes = await page.evaluate(
    async (source: string, to: Targets) => {
      const code = `(${source})(${JSON.stringify(to)})`
      const heard = (emitter: EventTarget) =>
        new Promise<unknown>((resolve) => {
          emitter.addEventListener('message', (event) => resolve((event as MessageEvent).data), {
            once: true,
          })
        })
      const results: unknown[] = []
      const html = `<body><script>${code}.then((r) => parent.postMessage(r, '*'))</script>`
      for (const set of [
        (frame: HTMLIFrameElement) => {
          frame.setAttribute('sandbox', 'allow-scripts allow-forms')
          frame.srcdoc = html
        },
        (frame: HTMLIFrameElement) => {
          frame.src = `data:text/html,${encodeURIComponent(html)}`
        },
      ]) {
        const frame = document.createElement('iframe')
        set(frame)
        const result = heard(window)
        document.body.append(frame)
        results.push(await result)
        frame.remove()
      }
      const blob = new Blob([`${code}.then((r) => postMessage(r))`], { type: 'text/javascript' })
      const worker = new Worker(URL.createObjectURL(blob))
      results.push(await heard(worker))
      worker.terminate()
      return results
    },
    attack.toString(),
    targets(),
  )
  assert.deepEqual(outcomes, [[], [], []])
  assert.equal(await served(), '')
})

const name = browserUnderTest
test(`a rebound name gets one constant answer (${name})`, { timeout: 60_000 }, async () => {
  const browser = await launch(name, {
    flags: ['--host-resolver-rules=MAP rebound.example 127.0.0.1'],
    preferences: { 'network.dns.localDomains': 'rebound.example' },
  })
  try {
    const page = await browser.newPage()
    for (const url of [gateway.mcp, gateway.web]) {
      const answer = await page.goto(`http://rebound.example:${new URL(url).port}/`)
      assert.equal(answer?.status(), 403)
      const same = await page.evaluate(async (body: string) => {
        const headers = { 'content-type': 'application/json' }
        const post = await fetch('/mcp', { method: 'POST', body, headers })
        const socket = new WebSocket(`ws://${location.host}/ws`, 'mcp')
        const opened = await new Promise((resolve) => {
          socket.onopen = () => resolve(true)
          socket.onerror = () => resolve(false)
          socket.onclose = () => resolve(false)
        })
        const text = await (await fetch('/nothing')).text()
        return [post.status, await post.text(), opened, text]
      }, message)
      assert.deepEqual(same, [403, 'forbidden\n', false, 'forbidden\n'])
    }
    assert.equal(await served(), '')
  } finally {
    await close(browser)
  }
})
