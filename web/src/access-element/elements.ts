/** The custom elements `<pagemcp-access>` and `<pagemcp-access-indicator>`. */

import { showIndicator } from './indicator.ts'
import { showPanel } from './panel.ts'
import { styles } from './style.ts'
import { languageAt } from './texts.ts'
import type { AccessHost } from './watch.ts'

/** `<pagemcp-access>` and `<pagemcp-access-indicator>`. */
export interface AccessElement extends HTMLElement {
  /** The engine; default: that of {@link defineAccess}. */
  mcp: AccessHost | undefined
}

declare global {
  interface HTMLElementTagNameMap {
    'pagemcp-access': AccessElement
    'pagemcp-access-indicator': AccessElement
  }
}

/** A class of elements, all of which have the same engine unless they have one of their own. */
type AccessElementClass = CustomElementConstructor & { use(mcp: AccessHost | undefined): void }

const panelName = 'pagemcp-access'
const indicatorName = 'pagemcp-access-indicator'

/**
 * Defines the elements `<pagemcp-access>` and `<pagemcp-access-indicator>`, and connects them with an engine. Another
 * call connects them with another engine.
 *
 * ```ts
 * const mcp = await start({ name: 'notes', access: 'ask' })
 * defineAccess(mcp)
 * document.querySelector('footer').append(document.createElement('pagemcp-access-indicator'))
 * ```
 *
 * - `<pagemcp-access>`: the panel. It lists assistants with their rights and their use, and ends them
 * - `<pagemcp-access-indicator>`: a button with the names of the assistants that have used the page within the last
 *   30 seconds (attribute `seconds`), which opens the panel. It is hidden while there are none
 *
 * Their language is `lang` of the element or of what it is in: `en`, `de`, `ja` or `zh-Hans`.
 *
 * @returns a function that disconnects the elements from the engine
 */
export function defineAccess(mcp: AccessHost): () => void {
  const classes = [
    defined(panelName, (element, root, host, signal) =>
      showPanel(root, host, languageAt(element), signal),
    ),
    defined(indicatorName, (element, root, host, signal) => {
      const seconds = Number(element.getAttribute('seconds') ?? '')
      const activeFor = seconds > 0 ? seconds * 1000 : undefined
      const panel = () => {
        const made = document.createElement(panelName)
        made.mcp = host
        made.setAttribute('exportparts', parts)
        return made
      }
      showIndicator(root, host, languageAt(element), signal, panel, activeFor)
    }),
  ]
  for (const one of classes) one.use(mcp)
  return () => {
    for (const one of classes) one.use(undefined)
  }
}

/** The parts of the panel that a page may style through the indicator. */
const parts = 'panel, title, status, table, row, name, stop, allow, ask, pause, resume, audit'

type Render = (element: HTMLElement, root: ShadowRoot, mcp: AccessHost, signal: AbortSignal) => void

/** The class of a name; that of another copy of this module if it was first. */
function defined(name: string, render: Render): AccessElementClass {
  const existing = customElements.get(name)
  if (existing !== undefined) return existing as AccessElementClass
  const made = elementClass(render)
  customElements.define(name, made)
  return made
}

function elementClass(render: Render): AccessElementClass {
  const connected = new Set<{ renew(): void }>()
  let common: AccessHost | undefined

  return class extends HTMLElement implements AccessElement {
    static observedAttributes = ['lang', 'seconds']
    static use(mcp: AccessHost | undefined): void {
      if (mcp === common) return
      common = mcp
      for (const one of connected) one.renew()
    }

    #own: AccessHost | undefined
    #root = this.attachShadow({ mode: 'open' })
    #stop = new AbortController()

    get mcp(): AccessHost | undefined {
      return this.#own ?? common
    }

    set mcp(mcp: AccessHost | undefined) {
      if (mcp === this.#own) return
      this.#own = mcp
      this.renew()
    }

    connectedCallback(): void {
      if (Object.hasOwn(this, 'mcp')) {
        // Set before the class was defined: the property would hide the accessor.
        const { mcp } = this
        Reflect.deleteProperty(this, 'mcp')
        this.#own = mcp
      }
      this.#root.adoptedStyleSheets = [styles()]
      connected.add(this)
      this.renew()
    }

    disconnectedCallback(): void {
      connected.delete(this)
      this.#stop.abort()
    }

    /** `moveBefore` keeps what is shown. */
    connectedMoveCallback(): void {}

    attributeChangedCallback(): void {
      this.renew()
    }

    /** Shows everything again: the engine, the language or a setting is another one. */
    renew(): void {
      this.#stop.abort()
      this.#root.replaceChildren()
      const { mcp } = this
      if (!this.isConnected || mcp === undefined) return
      this.#stop = new AbortController()
      const { signal } = this.#stop
      render(this, this.#root, mcp, signal)
      const language = languageAt(this)
      const observer = new MutationObserver(() => {
        if (languageAt(this) !== language) this.renew()
      })
      observer.observe(document.documentElement, { attributeFilter: ['lang'] })
      signal.addEventListener('abort', () => observer.disconnect())
    }
  }
}
