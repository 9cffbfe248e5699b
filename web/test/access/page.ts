// What the tests of the question evaluate: the window's part of access, with an engine that records its tables. Everything
// here runs in the browser.

import type {
  AccessAnswer,
  AccessOption,
  AccessRequest,
  GrantTable,
} from '../../src/page-access.ts'

// The question is in a closed shadow root: only a script that ran before it can look inside. A page may do so, see security.md.
const attachShadow = Element.prototype.attachShadow
let root: ShadowRoot | undefined
Element.prototype.attachShadow = function (init) {
  const isOpen = location.search.includes('open') // for axe
  const made = attachShadow.call(this, { ...init, ...(isOpen && { mode: 'open' as const }) })
  if (this.localName === 'pagemcp-question') root = made
  return made
}

const query = new URLSearchParams(location.search)
if (query.has('nowhere')) {
  const get = () => {
    throw new DOMException('not allowed', 'SecurityError')
  }
  Object.defineProperty(globalThis, 'indexedDB', { get })
}
const { openAccess } = await import('../../src/access/decisions.ts')
const tables: GrantTable[] = []
const errors: string[] = []
const policies: { readonly [name: string]: Exclude<AccessOption, string> } = {
  throws: () => {
    throw new Error('the policy fails')
  },
  notes: ({ method, uri = '' }: AccessRequest) =>
    method.endsWith('/list') || uri.startsWith('notes:') ? ('allow' as const) : ('ask' as const),
  never: () => 'deny' as const,
}
const policy = Object.entries(policies).find(([name]) => name === query.get('policy'))?.[1]
let events = 0
const access = await openAccess({
  name: query.get('app') ?? 'notes',
  title: query.get('title') ?? 'My notes',
  mode: policy ? 'policy' : ((query.get('mode') ?? 'ask') as 'open' | 'ask'),
  ...(policy && { policy }),
  flag: `pagemcp.access:${query.get('app') ?? 'notes'}`,
  setAccess: (table) => void tables.push(table),
  changed() {
    events++
  },
  report: (error) => void errors.push(String(error)),
})

const asked = new Map<string, AbortController>()
const answers = new Map<string, AccessAnswer>()

/** Asks; the answer is found under `id`. */
function ask(id: string, request: Partial<AccessRequest> = {}) {
  const controller = new AbortController()
  asked.set(id, controller)
  const whole = {
    assistant: 'claude-code',
    right: 'read' as const,
    method: 'resources/read',
    uri: 'notes://1',
    ...request,
  }
  void access.ask(whole, controller.signal).then((answer) => answers.set(id, answer))
}

const kit = {
  access,
  tables,
  errors,
  answers,
  ask,
  leave: (id: string) => asked.get(id)?.abort(),
  answer: (id: string) => answers.get(id) ?? null,
  table: () => tables.at(-1),
  events: () => events,
  root: () => root,
  isAsked: () => document.querySelector('pagemcp-question') !== null,
  dialog: () => root?.querySelector('dialog'),
  text: () => (document.querySelector('pagemcp-question') ? (root?.textContent ?? '') : ''),
  buttons: () => [...(root?.querySelectorAll('button') ?? [])].map((one) => one.textContent),
  focused: () => root?.activeElement?.textContent ?? '',
  /** The middle of a button in the window. */
  place(text: string) {
    const found = [...(root?.querySelectorAll('button') ?? [])].find((one) =>
      (one.getAttribute('aria-label') ?? one.textContent)?.includes(text),
    )
    const { left = 0, top = 0, width = 0, height = 0 } = found?.getBoundingClientRect() ?? {}
    return [left + width / 2, top + height / 2] as const
  },
}
export type Kit = typeof kit
Object.assign(window, { kit, ready: true })
