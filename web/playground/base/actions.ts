/**
 * Actions of one room that other rooms call. The room in brackets implements the action at start-up, so
 * that its callers do not import it.
 */

import { selected, show } from './state.ts'

export interface Actions {
  /** [compose] Opens a message in a new tab of the composer and shows it. */
  compose(text: string, title?: string): void
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
  send: () => undefined,
  inspect(row) {
    selected.value = row
    show({ pane: 'inspect' })
  },
  announce: () => {},
  replay: async () => {},
  importFile: () => {},
}
