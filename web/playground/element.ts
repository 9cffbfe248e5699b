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
 * The element is a frame of the origin of this module. It has access only to messages on the ports that it
 * gets. Attributes: `lang` and `title`. Your Content-Security-Policy must allow the frame: `frame-src`.
 */
export class McpPlayground extends HTMLElement {
  #frame: HTMLIFrameElement | undefined
  #waiting: { port: MessagePort; title: string }[] = []
  #ready = false

  connectedCallback(): void {
    if (this.#frame !== undefined) return
    const url = new URL('./embed.html', import.meta.url)
    url.searchParams.set('allow', location.origin)
    if (this.lang) url.searchParams.set('lang', this.lang)
    const frame = document.createElement('iframe')
    frame.src = url.href
    frame.title = this.title || 'PageMCP playground'
    frame.style.cssText = 'border:0;display:block;block-size:100%;inline-size:100%'
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

if (customElements.get('mcp-playground') === undefined) {
  customElements.define('mcp-playground', McpPlayground)
}
