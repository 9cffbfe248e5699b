/** A page with `<page-mcp>` over decisions that the test keeps: `fake`. */

import { defineAccess } from '../../src/access.ts'
import type { AssistantAccess } from '../../src/page-access.ts'

const hour = 3_600_000 // ms

type Grant = AssistantAccess['grants'][number]

const grant = (right: 'read' | 'act', change: Partial<Grant> = {}): Grant => {
  const until = Date.now() + 5 * hour
  return { assistant: '', right, allow: true, until, lasts: 'session', ...change }
}

let assistants: AssistantAccess[] = []
const calls: unknown[][] = []
const listeners = new Set<() => void>()
const called =
  (name: string, act: (assistant: string) => void) =>
  async (...args: unknown[]) => {
    calls.push([name, ...args])
    if (fake.failure) throw new Error(fake.failure)
    act(args[0] as string)
    fake.changed()
  }

const fake = {
  calls,
  failure: '',
  listeners: () => listeners.size,
  changed() {
    for (const listener of listeners) listener()
  },
  add(assistant: string, change: Partial<AssistantAccess> = {}) {
    const one = { assistant, grants: [], readsToday: 0, callsToday: 0, ...change }
    assistants = [...assistants.filter((own) => own.assistant !== assistant), one]
    fake.changed()
  },
  access: {
    mode: 'ask' as const,
    app: 'test',
    pausedUntil: undefined as number | undefined,
    grants: async () => assistants,
    audit: async () => [],
    withhold: async () => {},
    allow: async () => {},
    revoke: called('revoke', (name) => {
      const denied = [grant('read', { allow: false }), grant('act', { allow: false })]
      for (const one of assistants) {
        if (name === undefined || one.assistant === name)
          fake.add(one.assistant, { grants: denied })
      }
    }),
    forget: called('forget', (name) => fake.add(name)),
    pause: called('pause', () => {
      fake.access.pausedUntil = Date.now() + hour
    }),
    resume: called('resume', () => {
      fake.access.pausedUntil = undefined
    }),
  },
  on(_: 'access', listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  define: () => defineAccess(fake),
  /** One for now, one who may only read, one without a name. */
  typical() {
    fake.add('Claude Code', {
      grants: [grant('read'), grant('act', { tool: 'delete_note' })],
      callsItself: 'claude-code',
      lastUsed: Date.now() - 4000,
      readsToday: 1240,
      callsToday: 3,
    })
    fake.add('client:editor-7f3a', {
      grants: [
        grant('read', { lasts: 'always', until: Date.now() + 28 * 24 * hour }),
        grant('act', { allow: false }),
      ],
    })
    fake.add('token', { grants: [grant('read', { allow: false }), grant('act', { allow: false })] })
  },
  items: () =>
    [...(root()?.querySelectorAll('li') ?? [])].map((one) =>
      one.innerText.replace(/\s+/g, ' ').trim(),
    ),
}

const root = () => document.querySelector('page-mcp')?.shadowRoot

export type Fake = typeof fake
Object.assign(globalThis, { fake, ready: true })
