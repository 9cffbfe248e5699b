/**
 * Tabs in the states that browsers give them. Chromium freezes and discards by its page of discards, with no debugger at
 * the tab, which would keep it awake. Firefox discards as its own list of tabs does; it freezes no tab.
 */

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pass } from 'node:timers/promises'
import { close, launch, protocolTimeout, quit } from '../harness/launch.ts'

/** A browser with the app in a tab that no debugger looks at. */
export interface Tab {
  act(what: Act): Promise<void>
  close(): Promise<void>
}

/** What is done to the tab. */
type Act = 'hide' | 'freeze' | 'discard' | 'show'

/** Opens the app, whose URL has `app.html`, in Chromium. */
export async function inChromium(url: string): Promise<Tab> {
  const profile = await mkdtemp(join(tmpdir(), 'pagemcp-states-'))
  await writeFile(join(profile, 'Local State'), '{"internal_only_uis_enabled":true}')
  const browser = await launch('chromium', { profile, flags: [url], slowHidden: true })
  const process = browser.process()
  const { host } = new URL(browser.wsEndpoint())
  await browser.disconnect()
  let discards: Awaited<ReturnType<typeof pageOfDiscards>> | undefined
  return {
    async act(what) {
      discards ??= await pageOfDiscards(host) // opens it in front
      if (what === 'hide') await discards.bringToFront()
      else if (what === 'show') await activate(host)
      else await discards.press({ freeze: '[Freeze]', discard: '[Urgent Discard]' }[what])
    },
    async close() {
      discards?.close()
      await quit(browser, process)
      await rm(profile, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Puts the app's tab in front, which wakes it, or loads it. */
async function activate(host: string): Promise<void> {
  const targets = await (await fetch(`http://${host}/json/list`)).json()
  const own = targets.find(({ url }: { url: string }) => url.includes('app.html'))
  assert.ok((await fetch(`http://${host}/json/activate/${own.id}`)).ok)
}

/**
 * Opens `chrome://discards` and attaches to it alone: Puppeteer attaches to the tab that takes the place of one that
 * was discarded, and with that loads it.
 */
async function pageOfDiscards(host: string) {
  const opened = await fetch(`http://${host}/json/new?chrome://discards/`, { method: 'PUT' })
  const socket = new WebSocket((await opened.json()).webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  let last = 0
  const send = (method: string, params = {}) =>
    new Promise<{ result: { result?: { value: unknown } } }>((resolve, reject) => {
      const id = ++last
      setTimeout(() => reject(new Error(`waited for ${method}`)), protocolTimeout).unref()
      socket.addEventListener('message', ({ data }) => {
        const message = JSON.parse(data)
        if (message.id === id) resolve(message)
      })
      socket.send(JSON.stringify({ id, method, params }))
    })
  return {
    bringToFront: async () => void (await send('Page.bringToFront')),
    close: () => socket.close(),
    async press(label: string) {
      const expression = `(${press})(${JSON.stringify(label)})`
      const deadline = AbortSignal.timeout(protocolTimeout)
      while ((await send('Runtime.evaluate', { expression })).result.result?.value !== true) {
        assert.ok(!deadline.aborted, `waited for ${label} in the row of the app`)
        await pass(100)
      }
    },
  }
}

/** Presses a button in the row of the app's tab, once it is there. Runs in the browser. */
function press(label: string): boolean {
  const within = (root: ParentNode): Element[] =>
    [...root.querySelectorAll('*')].flatMap((e) => [
      e,
      ...(e.shadowRoot ? within(e.shadowRoot) : []),
    ])
  const named = (e: Element, text: string) =>
    e.children.length === 0 && e.textContent?.trim() === text
  for (const row of within(document).filter((e) => e.localName === 'tr')) {
    if (!row.textContent?.includes('app.html')) continue
    const button = within(row).find((e) => named(e, label)) as HTMLElement | undefined
    if (button === undefined) continue
    button.click()
    return true
  }
  return false
}

/** The same in Firefox. */
export async function inFirefox(url: string): Promise<Tab> {
  const browser = await launch('firefox', { flags: ['--remote-allow-system-access'] })
  await (await browser.newPage()).goto(url)
  const { connection } = browser as unknown as { connection: Connection }
  const { result } = await connection.send('browsingContext.getTree', { 'moz:scope': 'chrome' })
  const context = result.contexts?.[0]?.context
  const inWindow = async (script: string) => {
    const expression = `(async () => { ${script} })()`
    const params = { expression, target: { context }, awaitPromise: true }
    const { result } = await connection.send('script.evaluate', params)
    assert.equal(result.type, 'success', JSON.stringify(result))
  }
  const find = `const own = gBrowser.tabs.find((tab) => tab.linkedBrowser.currentURI.spec.includes('app.html'))
    const other = gBrowser.tabs.find((tab) => tab !== own)`
  return {
    async act(what) {
      if (what === 'freeze') throw new Error('Firefox freezes no tab')
      const steps = {
        hide: 'gBrowser.selectedTab = other',
        show: 'gBrowser.selectedTab = own',
        discard: `await gBrowser.prepareDiscardBrowser(own)
          if (!gBrowser.discardBrowser(own)) throw new Error('was not discarded')`,
      }
      await inWindow(`${find}; ${steps[what]}`)
    },
    close: () => close(browser),
  }
}

interface Connection {
  send(
    method: string,
    params: object,
  ): Promise<{ result: { type?: string; contexts?: { context: string }[] } }>
}
