/** The tabs of the composer, stored across reloads. The text is the only source of truth. */

import { computed, type Signal, signal } from '@preact/signals'
import { setting } from '../base/settings.ts'
import { revision } from '../connections/clients.ts'
import { pretty } from '../protocol/pretty.ts'
import { isRevision, type Revision, request } from '../protocol/revisions.ts'

export interface Tab {
  id: number
  /** The title; `''`: the method is shown. */
  title: string
  /** The title was a part of the text when the tab was opened. */
  isQuoted?: boolean
  text: string
  /** The revision of the text. */
  revision: Revision
  /** Keep the id when sending. */
  pinned?: boolean
  /** Origin of a message from a link: messages with side effects need a confirmation. */
  from?: string
  /** It is not stored. */
  temporary?: boolean
}

/** Longer texts are not stored. */
const maxPersistedLength = 100_000 // UTF-16 code units

/** Delay after typing before the tabs are stored. */
const saveDelay = 400 // ms

const persisted = setting<{ tabs: Tab[]; current: number }>('tabs', { tabs: [], current: 0 })

/** The text of an unused tab. */
export const initialText = (): string => pretty(request(revision.peek(), 1, 'resources/list'))

const initialTab = (): Tab => ({
  id: 1,
  title: '',
  text: initialText(),
  revision: revision.peek(),
})

export const tabs: Signal<readonly Tab[]> = signal(restored())
export const current: Signal<number> = signal(
  (tabs.peek().find(({ id }) => id === persisted.peek().current) ?? (tabs.peek()[0] as Tab)).id,
)

/** The current tab; there is always one. */
export const tab = computed(
  () => tabs.value.find(({ id }) => id === current.value) ?? (tabs.value[0] as Tab),
)

/** Counts changes other than typing, after which the editor loads the text. */
export const replacements = signal(0)

function restored(): readonly Tab[] {
  const found = persisted
    .peek()
    .tabs.filter(
      (one) =>
        typeof one?.text === 'string' && typeof one.id === 'number' && isRevision(one.revision),
    )
  return found.length ? found : [initialTab()]
}

/** The user typed a text: the editor has it already. */
export function setTypedText(text: string): void {
  change({ text })
}

/** Replaces the text: from the form, the history or a rewriting. */
export function replaceText(text: string): void {
  if (text === tab.peek().text) return
  change({ text })
  replacements.value++
}

/** Changes the current tab. */
export function change(next: Partial<Tab>): void {
  const { id } = tab.peek()
  tabs.value = tabs.peek().map((one) => (one.id === id ? { ...one, ...next } : one))
}

/** Opens a new tab and shows it. */
export function open(text: string, more: Partial<Omit<Tab, 'id' | 'text'>> = {}): void {
  const id = Math.max(0, ...tabs.peek().map((one) => one.id)) + 1
  const isQuoted = text.includes(more.title ?? '')
  tabs.value = [
    ...tabs.peek(),
    { id, title: '', isQuoted, text, revision: revision.peek(), ...more },
  ]
  show(id)
}

/** Puts the initial text into tabs that have this request unchanged, in whichever revision. */
export function withdraw(method: string, params: Record<string, unknown>): void {
  const isDraft = ({ text, revision }: Tab) => text === pretty(request(revision, 1, method, params))
  if (!tabs.peek().some(isDraft)) return
  tabs.value = tabs.peek().map((one) => (isDraft(one) ? { ...initialTab(), id: one.id } : one))
  replacements.value++
}

export function show(id: number): void {
  current.value = id
  replacements.value++
}

/** Closes a tab; the last one is reset. */
export function close(id: number): void {
  const at = tabs.peek().findIndex((one) => one.id === id)
  const left = tabs.peek().filter((one) => one.id !== id)
  tabs.value = left.length ? left : [initialTab()]
  if (current.peek() === id || !left.length) {
    show((tabs.peek()[Math.max(0, at - 1)] ?? (tabs.peek()[0] as Tab)).id)
  }
}

/** The label of a tab: its title, or its method. A title from the text, such as a URI, holds while the text has it. */
export function titleOf({ title, isQuoted, text }: Tab): string {
  const holds = title !== '' && (!isQuoted || text.includes(title))
  return holds ? title : (/"method"\s*:\s*"([^"]{1,60})"/.exec(text)?.[1] ?? '')
}

let timer: ReturnType<typeof setTimeout> | undefined

function saveTabs() {
  clearTimeout(timer)
  timer = undefined
  persisted.value = {
    tabs: tabs
      .peek()
      .filter(({ text, temporary }) => !temporary && text.length <= maxPersistedLength),
    current: current.peek(),
  }
}

/** Stores the tabs soon after each change, and when the page unloads. */
export function persistTabs(): void {
  let started = false
  const soon = () => {
    if (!started) return
    timer ??= setTimeout(saveTabs, saveDelay)
  }
  tabs.subscribe(soon)
  current.subscribe(soon)
  started = true
  addEventListener('pagehide', saveTabs)
}
