/** The drafts of one client: the tabs of the composer. A draft's text is the only source of truth. */

import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { setting } from '../base/settings.ts'
import type { Sentence } from '../protocol/explain.ts'
import { pretty } from '../protocol/pretty.ts'
import { isRevision, newest, type Revision, request } from '../protocol/revisions.ts'

export interface Draft {
  /** Unique among the drafts of all clients. */
  id: number
  /** The title; `''`: the method is shown. */
  title: string
  /** The title was a part of the text when the draft was opened. */
  isQuoted?: boolean
  text: string
  /** The revision of the text. */
  revision: Revision
  /** Keep the id when sending. */
  pinned?: boolean
  /** Origin of a message from a link: messages with side effects need a confirmation. */
  from?: string
  /** It waits for that confirmation. */
  unsure?: boolean
}

/** A draft that was rewritten for another revision. */
export interface Rewritten {
  before: Draft
  notes: readonly Sentence[]
}

interface Begun {
  all?: readonly Draft[]
  shown?: number
  temporary?: boolean
}

/** Longer texts are not stored. */
const maxStoredLength = 100_000 // UTF-16 code units

/** Delay after typing before the drafts are stored. */
const saveDelay = 400 // ms

const stored = setting<{ tabs: Draft[]; current: number }>('tabs', { tabs: [], current: 0 })

let lastId = 0

export class Drafts {
  /** The revision of the client, and of new drafts. */
  readonly revision: Signal<Revision>
  readonly all: Signal<readonly Draft[]>
  /** The id of the open draft; any other number: the first one. */
  readonly shown: Signal<number>
  /** The open draft; there is always one. */
  readonly open: ReadonlySignal<Draft>
  /** Counts changes other than typing, after which the editor loads the text. */
  readonly replacements: Signal<number> = signal(0)
  /** The last draft that was rewritten. */
  readonly rewritten: Signal<Rewritten | undefined> = signal(undefined)
  /** What the editor can take back, by draft. */
  readonly undo: Map<number, unknown> = new Map()
  /** They are not stored. */
  readonly temporary: boolean

  constructor(revision: Revision, { all = [], shown = 0, temporary = false }: Begun = {}) {
    this.revision = signal(revision)
    this.temporary = temporary
    this.all = signal(all.length > 0 ? all : [this.#initial()])
    this.shown = signal(shown)
    this.open = computed(() => {
      const { value } = this.all
      return value.find(({ id }) => id === this.shown.value) ?? (value[0] as Draft)
    })
  }

  /** The text of an unused draft. */
  get initialText(): string {
    return pretty(request(this.revision.peek(), 1, 'resources/list'))
  }

  #initial(): Draft {
    return { id: ++lastId, title: '', text: this.initialText, revision: this.revision.peek() }
  }

  /** The user typed a text: the editor has it already. */
  type(text: string): void {
    this.change({ text })
  }

  /** Replaces the open text: from the form, the history or a rewriting. */
  replace(text: string, more: Partial<Draft> = {}): void {
    this.change({ ...more, text })
    this.replacements.value++
  }

  /** Changes the open draft. */
  change(next: Partial<Draft>): void {
    const { id } = this.open.peek()
    this.all.value = this.all.peek().map((one) => (one.id === id ? { ...one, ...next } : one))
  }

  /** Puts a text in place of the initial one, if that is still shown. */
  begin(text: string, title: string): void {
    if (this.open.peek().text === this.initialText)
      this.replace(text, { title, isQuoted: text.includes(title) })
  }

  /** Opens a new draft and shows it. */
  add(text: string, more: Partial<Omit<Draft, 'id' | 'text'>> = {}): void {
    const isQuoted = text.includes(more.title ?? '')
    const draft = { ...this.#initial(), title: '', isQuoted, text, ...more }
    this.all.value = [...this.all.peek(), draft]
    this.shown.value = draft.id
  }

  /** Closes a draft; the last one is reset. */
  close(id: number): void {
    const at = this.all.peek().findIndex((one) => one.id === id)
    const left = this.all.peek().filter((one) => one.id !== id)
    this.undo.delete(id)
    const isOpen = this.open.peek().id === id
    this.all.value = left.length > 0 ? left : [this.#initial()]
    if (isOpen) this.shown.value = (this.all.peek()[Math.max(0, at - 1)] as Draft).id
  }
}

/** The label of a draft: its title, or its method. A title from the text, such as a URI, holds while the text has it. */
export function titleOf({ title, isQuoted, text }: Omit<Draft, 'id' | 'revision'>): string {
  const holds = title !== '' && (!isQuoted || text.includes(title))
  return holds ? title : (/"method"\s*:\s*"([^"]{1,60})"/.exec(text)?.[1] ?? '')
}

/** The drafts of all clients of the last visit. */
export function storedDrafts(): Drafts {
  const { tabs, current } = stored.peek()
  const found = tabs.filter(
    (one) =>
      typeof one?.text === 'string' && typeof one.id === 'number' && isRevision(one.revision),
  )
  lastId = Math.max(lastId, ...found.map(({ id }) => id))
  return new Drafts(newest, { all: found, shown: current })
}

/** Stores drafts soon after each change, and when the page unloads. Unchanged initial texts are not stored. */
export function keep(every: () => Iterable<Drafts>): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const kept = () => [...every()].filter(({ temporary }) => !temporary)
  const store = () => {
    clearTimeout(timer)
    timer = undefined
    const tabs = kept().flatMap(({ all, initialText }) =>
      all.peek().filter(({ text }) => text !== initialText && text.length <= maxStoredLength),
    )
    stored.value = { tabs, current: kept()[0]?.open.peek().id ?? 0 }
  }
  let begun = false
  effect(() => {
    for (const { all, open } of kept()) void [all.value, open.value]
    if (begun) timer ??= setTimeout(store, saveDelay)
    begun = true
  })
  addEventListener('pagehide', store)
}
