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
 * - `url`: an MCP server; the frame connects when the visitor clicks, never by itself
 * - `readonly`: no composer. A lesson is presented, and a server is only listed and read
 * - `theme`: `light` or `dark`; `language` (or `lang`): `en`, `de`, `ja`, `zh-Hans`
 * - `height`: CSS pixels, or a length such as `60vh`; `title`: the title of the frame
 *
 * The element is a frame of the origin of this module. It has access only to messages on the ports that it
 * gets, and to what the attributes name. Your Content-Security-Policy must allow the frame: `frame-src`.
 */
export class McpPlayground extends HTMLElement {
  #frame: HTMLIFrameElement | undefined
  #waiting: { port: MessagePort; title: string }[] = []
  #ready = false

  connectedCallback(): void {
    if (this.#frame !== undefined) return
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
    addEventListener('message', (event) => {
      if (event.source !== frame.contentWindow || event.origin !== url.origin) return
      if ((event.data as { pagemcp?: unknown } | null)?.pagemcp !== 'playground-ready') return
      this.#ready = true
      this.#flush()
    })
    this.#frame = frame
    this.append(frame)
  }

  /**
   * Passes a port of an engine, `mcp.port()`, to the playground. Each call opens another client.
   *
   * @param title - shown to the user; default: the origin of this page
   */
  connect(port: MessagePort, title = location.origin): void {
    this.#waiting.push({ port, title })
    this.#flush()
  }

  #flush(): void {
    if (!this.#ready) return
    const { origin } = new URL(import.meta.url)
    for (const { port, title } of this.#waiting.splice(0)) {
      this.#frame?.contentWindow?.postMessage({ pagemcp: 'playground', title }, origin, [port])
    }
  }
}

/** The page of the frame. Each has its own policy: ports only, the scenario's server, or connections. */
function addressOf(element: HTMLElement): URL {
  const get = (name: string) => element.getAttribute(name) ?? ''
  const page = get('scenario') ? 'embed-scenario' : get('url') ? 'embed-url' : 'embed'
  const url = new URL(`./${page}.html`, import.meta.url)
  const parameters = {
    ...(page === 'embed' && { allow: location.origin }),
    scenario: get('scenario'),
    ...(page === 'embed-url' && { url: get('url') }),
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
