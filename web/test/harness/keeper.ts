/**
 * Browsers that test files use one after the other. A browser's start costs 0.7 s of CPU in Chromium and 2.2 s in
 * Firefox, a context in it 0.2 s. The runner keeps the browsers, and names their address in {@link addressVariable};
 * without it, each file starts its own.
 *
 * A browser serves one file at a time, so that files that run at once do not take the focus from each other. It is
 * replaced if it ended, if its file ended without leaving it as it was, and after {@link maxUses} files.
 */

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser } from 'puppeteer-core'
import { type BrowserName, launch, protocolTimeout, quit, viewport } from './launch.ts'

/** The environment variable with the path of the keeper's socket. */
export const addressVariable = 'PAGEMCP_BROWSERS'

/** How many files use a browser before it is replaced: what it leaks is bounded, and a file's fault ends with it. */
export const maxUses = 20

/** What a client says when it leaves the browser as it was. Any other end of its connection ends the browser. */
const clean = 'clean'

/** A browser that runs, without a connection to it. */
export interface Kept {
  readonly name: BrowserName
  readonly endpoint: string
  readonly end: () => Promise<void>
  readonly isRunning: () => boolean
}

/**
 * Serves browsers on a socket, which {@link borrow} connects to. They start when they are needed: there are never more
 * of one kind than connections.
 *
 * @returns the path of the socket, and how to end all browsers
 */
export async function keepBrowsers(
  start: (name: BrowserName) => Promise<Kept> = startKept,
): Promise<{ address: string; close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'pagemcp-browsers-'))
  const address = join(directory, 'socket')
  const idle: Kept[] = []
  const uses = new Map<Kept, number>()
  const ending = new Set<Promise<void>>()
  const end = (one: Kept) => {
    uses.delete(one)
    const done = one.end().finally(() => ending.delete(done))
    ending.add(done)
  }
  const take = async (name: BrowserName): Promise<Kept> => {
    for (const one of idle.splice(0)) {
      if (!one.isRunning())
        end(one) // its profile is left
      else idle.push(one)
    }
    const found = idle.findIndex((one) => one.name === name)
    return idle.splice(found, found < 0 ? 0 : 1)[0] ?? start(name)
  }
  const lend = async (socket: Socket) => {
    const name = (await nextLine(socket)) as BrowserName | undefined
    if (name === undefined) return
    const one = await take(name)
    const used = (uses.get(one) ?? 0) + 1
    uses.set(one, used)
    socket.write(`${one.endpoint}\n`)
    const isClean = (await nextLine(socket)) === clean
    if (isClean && used < maxUses && one.isRunning()) idle.push(one)
    else end(one)
  }
  const sockets = new Set<Socket>()
  const lending = new Set<Promise<void>>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {}) // its client has ended
    const lent = lend(socket)
      .catch((error: unknown) => socket.write(`error ${String(error).replace(/\s+/g, ' ')}\n`))
      .then(() => {
        socket.end()
        lending.delete(lent)
      })
    lending.add(lent)
  })
  server.listen(address)
  await once(server, 'listening')
  return {
    address,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await Promise.all(lending)
      for (const one of idle.splice(0)) end(one)
      await Promise.all(ending)
      rmSync(directory, { recursive: true })
    },
  }
}

/** The next line, or undefined if the socket closes before. Both sides wait for a line before they send another. */
function nextLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const hear = (part: Buffer) => {
      text += part.toString()
      if (text.endsWith('\n')) settle(text.trimEnd())
    }
    const settle = (line?: string) => {
      socket.off('data', hear)
      resolve(line)
    }
    if (socket.destroyed) return settle()
    socket.on('data', hear)
    socket.once('close', () => settle())
  })
}

/** Starts a browser without a connection to it: Firefox allows one at a time. */
async function startKept(name: BrowserName): Promise<Kept> {
  const browser = await launch(name)
  const child = browser.process()
  const endpoint = browser.wsEndpoint()
  await browser.disconnect()
  return {
    name,
    endpoint,
    isRunning: () => child?.exitCode === null && child.signalCode === null,
    end: () => quit(browser, child),
  }
}

/** A browser of the keeper. */
export interface Borrowed {
  readonly browser: Browser
  /** Gives it back, to be used by another file if it is as it was. */
  giveBack(isGood: boolean): Promise<void>
}

/** Borrows a browser that the runner keeps at `address`. */
export async function borrow(name: BrowserName, address: string): Promise<Borrowed> {
  const socket = connect(address)
  socket.on('error', () => {}) // the line does not come, then
  socket.write(`${name}\n`)
  const answer = await nextLine(socket)
  if (!answer?.startsWith('ws:')) throw new Error(`no ${name} of the runner's: ${answer}`)
  socket.unref() // a file that forgets it ends, and the browser with it
  const browser = await puppeteer.connect({
    browserWSEndpoint: answer,
    ...(name === 'firefox' && { protocol: 'webDriverBiDi' }),
    defaultViewport: viewport,
    protocolTimeout,
  })
  const before = await places(browser)
  return {
    browser,
    async giveBack(isGood) {
      const isSame = isGood && (await places(browser).catch(() => undefined)) === before
      await browser.disconnect()
      socket.ref()
      socket.end(isSame ? `${clean}\n` : '')
      await once(socket, 'close')
    },
  }
}

/** What a file may have left open: a context, a tab. */
async function places(browser: Browser): Promise<string> {
  const pages = await browser.pages()
  await pages[0]?.evaluate('1') // fails if the browser has ended, which the rest does not notice
  return `${browser.browserContexts().length} ${pages.map((page) => page.url())}`
}
