/** A page with the elements of `pagemcp/access` over decisions that the test keeps: `fake`. */

import { type AccessState, defineAccess, watchAccess } from '../../src/access.ts'
import type {
  AssistantAccess,
  AssistantGrant,
  AuditEntry,
  PageAccess,
} from '../../src/access-types.ts'

const hour = 3_600_000 // ms

/** Decisions, as a page keeps them, and the calls of the elements. */
class Fake {
  mode: PageAccess['mode'] = 'ask'
  pausedUntil: number | undefined
  assistants: AssistantAccess[] = []
  entries: AuditEntry[] = []
  calls: unknown[][] = []
  failure: string | undefined
  states: AccessState[] = []
  readonly #listeners = new Set<() => void>()

  readonly host = {
    access: this.#access(),
    on: (_type: 'access', listener: () => void) => {
      this.#listeners.add(listener)
      return () => void this.#listeners.delete(listener)
    },
  }

  get listeners(): number {
    return this.#listeners.size
  }

  changed(): void {
    for (const listener of this.#listeners) listener()
  }

  grant(right: 'read' | 'act', change: Partial<AssistantGrant> = {}): AssistantGrant {
    const until = Date.now() + 5 * hour
    return { assistant: 'Claude Code', right, allow: true, until, lasts: 'session', ...change }
  }

  add(assistant: string, change: Partial<AssistantAccess> = {}): void {
    const one = { assistant, grants: [], readsToday: 0, callsToday: 0, ...change }
    this.assistants = [...this.assistants.filter((own) => own.assistant !== assistant), one]
    this.changed()
  }

  #access(): PageAccess {
    const fake = this
    const called = (call: unknown[], change: () => void) => fake.#called(call, change)
    return {
      get mode() {
        return fake.mode
      },
      get pausedUntil() {
        return fake.pausedUntil
      },
      app: 'test',
      grants: async () => fake.assistants,
      audit: async () => fake.entries,
      revoke: (...args) => called(['revoke', ...args], () => fake.#deny(args[0])),
      allow: (...args) => called(['allow', ...args], () => fake.#allow(args[0], args[1])),
      forget: (...args) => called(['forget', ...args], () => fake.#forget(args[0])),
      pause: (...args) =>
        called(['pause', ...args], () => {
          fake.pausedUntil = Date.now() + (args[0] ?? hour)
        }),
      resume: () =>
        called(['resume'], () => {
          fake.pausedUntil = undefined
        }),
      withhold: (...args) => called(['withhold', ...args], () => {}),
    }
  }

  async #called(call: unknown[], change: () => void): Promise<void> {
    this.calls.push(call)
    if (this.failure !== undefined) throw new Error(this.failure)
    change()
    this.changed()
  }

  #deny(assistant?: string): void {
    const denied = (['read', 'act'] as const).map((right) => this.grant(right, { allow: false }))
    this.assistants = this.assistants.map((one) =>
      assistant === undefined || one.assistant === assistant ? { ...one, grants: denied } : one,
    )
  }

  #allow(assistant: string, right: 'read' | 'act'): void {
    this.assistants = this.assistants.map((one) => {
      if (one.assistant !== assistant) return one
      const others = one.grants.filter((grant) => grant.right !== right)
      return { ...one, grants: [...others, this.grant(right)] }
    })
  }

  #forget(assistant: string): void {
    this.assistants = this.assistants.map((one) =>
      one.assistant === assistant ? { ...one, grants: [] } : one,
    )
  }
}

const fake = new Fake()

/** The assistants of the pictures: one for now, one always, one refused, one without a name. */
function typical(): void {
  const now = Date.now()
  fake.add('Claude Code', {
    grants: [fake.grant('read'), fake.grant('act', { tool: 'delete_note', until: now + hour })],
    callsItself: 'claude-code',
    lastUsed: now - 4_000,
    readsToday: 1240,
    callsToday: 3,
  })
  fake.add('client:editor-7f3a', {
    grants: [
      fake.grant('read', { lasts: 'always', until: now + 28 * 24 * hour }),
      fake.grant('act', { lasts: 'always', until: now + 28 * 24 * hour }),
    ],
    lastUsed: now - 3 * hour,
    readsToday: 12,
  })
  fake.add('token', {
    grants: [fake.grant('read', { allow: false }), fake.grant('act', { allow: false })],
    callsItself: 'Claude',
    lastUsed: now - 26 * hour,
  })
  fake.add('webmcp')
  fake.entries = [
    {
      time: now - 4_000,
      assistant: 'Claude Code',
      right: 'read',
      method: 'resources/read',
      what: 'notes://today/a-note-with-a-long-name-that-does-not-fit-into-one-line',
      allow: true,
      reason: 'grant',
      bytes: 812,
      ms: 3,
    },
    {
      time: now - 60_000,
      assistant: 'token',
      right: 'act',
      method: 'tools/call',
      what: 'delete_note',
      allow: false,
      reason: 'declined',
      bytes: 0,
      ms: 9000,
    },
  ]
}

Object.assign(globalThis, { fake, typical, defineAccess, watchAccess })
document.title = 'ready'
