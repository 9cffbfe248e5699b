/** WebKitGTK's MiniBrowser, the engine of Safari, by WebDriver: https://www.w3.org/TR/webdriver2/. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { freePort } from '../harness/ports.ts'

const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64'
const browser = `/usr/lib/${machine}-linux-gnu/webkit2gtk-4.1/MiniBrowser`

/** How long a command may take, and a script. */
const limit = 60_000 // ms

export interface WebKit {
  open(url: string): Promise<void>
  reload(): Promise<void>
  back(): Promise<void>
  /** Opens a tab, to which further commands go. It stays in the background: hidden. */
  newTab(): Promise<void>
  /** Closes the tab, and goes to the first one. */
  closeTab(): Promise<void>
  /** Presses the button of the mouse, as a user does, at the place that an expression gives: [x, y], CSS px. */
  clickAt(place: string): Promise<void>
  /** Awaits an expression in the page: a promise, or JSON. */
  run<T>(expression: string): Promise<T>
  /** Awaits an expression to be true. */
  until(expression: string): Promise<void>
  close(): Promise<void>
}

/** Starts the browser with a display of its own. */
export async function startWebKit(): Promise<WebKit> {
  if (!existsSync(browser)) {
    throw new Error(`${browser} is missing: apt-get install -y webkit2gtk-driver xvfb`)
  }
  const children: ChildProcess[] = []
  const close = async () => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    }
  }
  try {
    const display = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1400x900x24'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    children.push(display)
    const { value: number } = await createInterface({ input: display.stdout })
      [Symbol.asyncIterator]()
      .next()
    const port = await freePort()
    const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
      env: {
        ...process.env,
        DISPLAY: `:${number}`,
        WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', // as root there is none
      },
      stdio: 'ignore',
    })
    children.push(driver)
    const session = await newSession(`http://127.0.0.1:${port}`)
    return { ...commands(session), close: () => session('DELETE', '').then(close) }
  } catch (error) {
    await close()
    throw error
  }
}

/** Sends a command of the session. */
type Session = (method: string, path: string, body?: object) => Promise<unknown>

async function send(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(limit),
  })
  const { value } = (await response.json()) as { value: { error?: string; message?: string } }
  if (value?.error) throw new Error(`${method} ${url}: ${value.error}: ${value.message}`)
  return value
}

async function newSession(driver: string): Promise<Session> {
  const alwaysMatch = {
    'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
    timeouts: { script: limit, pageLoad: limit },
  }
  const deadline = Date.now() + limit
  for (;;) {
    try {
      await send('GET', `${driver}/status`)
      break
    } catch (error) {
      if (Date.now() > deadline) throw error // the driver has not begun to listen
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const { sessionId } = (await send('POST', `${driver}/session`, {
    capabilities: { alwaysMatch },
  })) as { sessionId: string }
  return (method, path, body) => send(method, `${driver}/session/${sessionId}${path}`, body)
}

function commands(session: Session): Omit<WebKit, 'close'> {
  const script = (code: string) =>
    session('POST', '/execute/async', {
      script: `const done = arguments[0]; Promise.resolve().then(async () => (${code})).then((is) => done({ is }), (error) => done({ error: String(error) }))`,
      args: [],
    }) as Promise<{ is?: unknown; error?: string }>
  const run = async <T>(expression: string) => {
    const { is, error } = await script(expression)
    if (error !== undefined) throw new Error(`${expression}: ${error}`)
    return is as T
  }
  return {
    run,
    open: async (url) => void (await session('POST', '/url', { url })),
    reload: async () => void (await session('POST', '/refresh', {})),
    back: async () => void (await session('POST', '/back', {})),
    async newTab() {
      const { handle } = (await session('POST', '/window/new', { type: 'tab' })) as {
        handle: string
      }
      await session('POST', '/window', { handle })
    },
    async closeTab() {
      const [handle] = (await session('DELETE', '/window')) as string[]
      await session('POST', '/window', { handle })
    },
    async clickAt(place) {
      const [x, y] = (await run<number[]>(place)).map(Math.round)
      const actions = [
        { type: 'pointerMove', x, y },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]
      await session('POST', '/actions', { actions: [{ type: 'pointer', id: 'mouse', actions }] })
    },
    async until(expression) {
      const deadline = Date.now() + limit
      while (!(await run(`Boolean(${expression})`))) {
        if (Date.now() > deadline) throw new Error(`not within ${limit} ms: ${expression}`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
  }
}
