/**
 * `<mcp-playground>`: embeds the playground in your page, as a client of its engine.
 *
 * ```html
 * <script type="module" src="https://…/playground/element.js"></script>
 * <mcp-playground></mcp-playground>
 * ```
 *
 * ```ts
 * document.querySelector('mcp-playground').connect(mcp.port(), 'My app')
 * ```
 *
 * Attributes, read when the element is connected:
 *
 * - `scenario`: a lesson or conversation, such as `subscribe` or `eras`, on a server inside the frame
 * - `readonly`: no composer. A lesson is presented, and your engine is only listed and read
 * - `theme`: `light` or `dark`; `language` (or `lang`): `en`, `de`, `ja`, `zh-Hans`
 * - `height`: CSS pixels, or a length such as `60vh`; `title`: the title of the frame
 *
 * The element is a frame of the origin of this module. It has access only to messages on the ports that it
 * gets, and to what the attributes name. Your Content-Security-Policy must allow the frame: `frame-src`.
 */
export class McpPlayground extends HTMLElement {
  #ports = new Set<{ title: string; bridge: Bridge }>()
  #frame: HTMLIFrameElement | undefined
  #isReady = false // for ports
  #stop = new AbortController()

  connectedCallback(): void {
    const { signal } = this.#stop
    const url = addressOf(this)
    const frame = document.createElement('iframe')
    frame.src = url.href
    frame.title = this.title || 'PageMCP playground'
    frame.style.cssText = 'border:0;display:block;block-size:100%;inline-size:100%'
    const height = this.getAttribute('height') ?? ''
    if (height !== '') this.style.blockSize = /^\d+$/.test(height) ? `${height}px` : height
    if (getComputedStyle(this).display === 'inline') {
      this.style.display = 'block'
      this.style.blockSize ||= '640px'
    }
    const problem = document.createElement('p')
    problem.role = 'alert'
    addEventListener(
      'message',
      (event) => {
        if (event.source !== frame.contentWindow || event.origin !== url.origin) return
        const kind = (event.data as Message | null)?.pagemcp
        if (kind !== 'playground-loaded' && kind !== 'playground-ready') return
        clearTimeout(timer)
        problem.remove()
        if (kind === 'playground-loaded') return
        this.#isReady = true
        for (const port of this.#ports) this.#send(port)
      },
      { signal },
    )
    const timer = setTimeout(() => {
      problem.textContent = `The playground at ${url.origin} did not load in this page. Its server must send for ${url.pathname}: Content-Security-Policy: frame-ancestors ${location.origin} (and no X-Frame-Options). If this page has a Content-Security-Policy, it needs: frame-src ${url.origin}`
      this.prepend(problem)
    }, patience)
    signal.addEventListener('abort', () => clearTimeout(timer))
    this.#frame = frame
    this.replaceChildren(frame)
  }

  /** `moveBefore` keeps the frame. */
  connectedMoveCallback(): void {}

  /** The frame is unloaded: its clients have gone. A new one connects to the same ports. */
  disconnectedCallback(): void {
    this.#stop.abort()
    this.#stop = new AbortController()
    this.#frame = undefined
    this.#isReady = false
    for (const { bridge } of this.#ports) bridge.disconnect()
  }

  /**
   * Passes a port of an engine, `mcp.port()`, to the playground. Each call opens another client. The port stays in use
   * when the element is moved in the document, or the frame is reloaded.
   *
   * @param title - shown to the user; default: the origin of this page
   */
  connect(port: MessagePort, title = location.origin): void {
    const added = { title, bridge: bridgeTo(port, () => this.#ports.delete(added)) }
    this.#ports.add(added)
    if (this.#isReady) this.#send(added)
  }

  #send({ title, bridge }: { title: string; bridge: Bridge }): void {
    const { origin } = new URL(import.meta.url)
    const message = { pagemcp: 'playground', title }
    this.#frame?.contentWindow?.postMessage(message, origin, [bridge.connect()])
  }
}

/** How long a frame may take until it is loaded: browsers do not tell that a frame was refused. */
const patience = 4000 // ms

/** Carries the messages of a port to one frame after the other: a frame that is unloaded takes its ports with it. */
interface Bridge {
  /** Makes a port for a frame. */
  connect(): MessagePort
  /** The frame has gone: its requests are cancelled. */
  disconnect(): void
}

/** A JSON-RPC message, or the last message of a port. */
interface Message {
  id?: unknown
  method?: unknown
  pagemcp?: unknown
}

/** @param ended - called when either side has sent its last message */
function bridgeTo(port: MessagePort, ended: () => void): Bridge {
  let inner: MessagePort | undefined
  const pending = new Set<unknown>() // ids of requests of the frame
  const passed = (to: MessagePort | undefined, data: unknown, message: Message | null) => {
    to?.postMessage(data)
    if (message?.pagemcp !== 'close') return
    pending.clear()
    ended()
  }
  const disconnect = () => {
    inner?.close()
    inner = undefined
    for (const requestId of pending) {
      const params = { requestId, reason: 'the frame has gone' }
      port.postMessage({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    }
    pending.clear()
  }
  port.onmessage = ({ data }: MessageEvent<Message | null>) => {
    if (data?.method === undefined) pending.delete(data?.id)
    passed(inner, data, data)
  }
  return {
    disconnect,
    connect() {
      disconnect()
      const { port1, port2 } = new MessageChannel()
      inner = port1
      port1.onmessage = ({ data }: MessageEvent<unknown>) => {
        const message = parsed(data)
        if (message?.method !== undefined && message.id !== undefined) pending.add(message.id)
        passed(port, data, message)
      }
      return port2
    },
  }
}

/** The playground sends texts, some of them malformed on purpose. */
function parsed(data: unknown): Message | null {
  try {
    return (typeof data === 'string' ? JSON.parse(data) : data) as Message | null
  } catch {
    return null
  }
}

/** The page of the frame. Each has its own policy: ports only, or the scenario's server. */
function addressOf(element: HTMLElement): URL {
  const get = (name: string) => element.getAttribute(name) ?? ''
  const page = get('scenario') ? 'embed-scenario' : 'embed'
  const url = new URL(`./${page}.html`, import.meta.url)
  const parameters = {
    ...(page === 'embed' && { allow: location.origin }),
    scenario: get('scenario'),
    theme: get('theme'),
    lang: get('language') || element.lang,
  }
  for (const [name, value] of Object.entries(parameters))
    if (value !== '') url.searchParams.set(name, value)
  if (element.hasAttribute('readonly')) url.searchParams.set('readonly', '')
  return url
}

if (customElements.get('mcp-playground') === undefined) {
  customElements.define('mcp-playground', McpPlayground)
}
