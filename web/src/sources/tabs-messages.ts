/** Messages between tabs, and their validation. */

import type { TabText } from './tab-list.ts'
import type { TabState } from './tabs-own.ts'

/** `to`, `from` and `stay` are names of visits; see {@link TabState.stay}. */
export type Message =
  | { is: 'new' | 'here'; tab: TabState }
  | { is: 'gone'; stay: string }
  | { is: 'ask'; to: string; from: string; number: number }
  | { is: 'text'; to: string; number: number; answer?: TabText }

/** Any script of this origin can post to the channel: malformed messages are ignored. */
export function isMessage(data: unknown): data is Message {
  const { is, tab, stay, to, number, answer } = (data ?? {}) as Record<string, unknown>
  switch (is) {
    case 'new':
    case 'here':
      return isTab(tab)
    case 'gone':
      return typeof stay === 'string'
    case 'ask':
      return typeof to === 'string' && typeof number === 'number'
    case 'text':
      return typeof to === 'string' && typeof number === 'number' && isText(answer)
  }
  return false
}

function isTab(tab: unknown): tab is TabState {
  const { id, stay, title, url, visibility, focused, lastFocus, edits } = (tab ?? {}) as Record<
    keyof TabState,
    unknown
  >
  return (
    [id, stay].every((name) => typeof name === 'string' && /^[\w-]{1,64}$/.test(name)) &&
    [title, url, visibility].every((text) => typeof text === 'string') &&
    typeof focused === 'boolean' &&
    typeof edits === 'number' &&
    typeof lastFocus === 'number' &&
    !Number.isNaN(new Date(lastFocus).getTime())
  )
}

function isText(answer: unknown): boolean {
  return answer === undefined || typeof (answer as Partial<TabText>)?.text === 'string'
}
