/**
 * Actions of one room that other rooms call. The room in brackets implements the action at start-up, so
 * that its callers do not import it.
 */

import { pane, selected } from './state.ts'

export interface Actions {
  /** [compose] Opens a message in a new tab of the composer and shows it. */
  compose(
    text: string,
    options?: {
      title?: string
      /** Replaces the initial text if it is still shown, and changes nothing else: neither pane nor tab. */
      draft?: boolean
      /** The tab is not stored: it ends with the page, or with the lesson that opened it. */
      temporary?: boolean
    },
  ): void
  /** [compose] Puts the initial text in place of a draft of this request that the user has not changed. */
  withdraw(method: string, params: Record<string, unknown>): void
  /** [compose] The composer's text: a component that calls it is drawn again when the text changes. */
  composed(): string
  /** [compose] Sends the composer's text through the active connection; returns its row. */
  send(): number | undefined
  /** Shows a row in Inspect. */
  inspect(row: number): void
  /** [shell] Shows one sentence as a toast, which screen readers read out. */
  announce(text: string): void
  /** [lessons] Presents rows of the store step by step, and sends nothing. */
  replay(rows: readonly number[], title: string): Promise<void>
  /** [shell] Lets the user choose transcripts to import. Browsers require a click or a key just before. */
  importFile(): void
}

export const actions: Actions = {
  compose: () => {},
  withdraw: () => {},
  composed: () => '',
  send: () => undefined,
  inspect(row) {
    selected.value = row
    pane.value = 'inspect'
  },
  announce: () => {},
  replay: async () => {},
  importFile: () => {},
}
