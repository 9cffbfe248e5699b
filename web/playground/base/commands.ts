/** Commands as data: the palette, the keys and their help are made from these tables. */

import type { ComponentType } from 'preact'
import type { DialogProps } from './dialog-props.ts'
import type { Key } from './i18n.ts'
import type { IconName } from './icon.tsx'
import { show } from './state.ts'

export interface Command {
  /** Stable: `area.verb`. */
  id: string
  title: Key
  /** Values for placeholders in the title. */
  params?: Readonly<Record<string, string | number>>
  /**
   * `Mod+Enter`, `Alt+ArrowUp`, `/`, `Space`, `F6`, or a sequence such as `G L`. `Mod` is ⌘ on Apple's
   * systems, elsewhere Ctrl. Keys without Mod, Alt or a function key work outside text fields only, and can be
   * switched off (WCAG 2.1.4).
   */
  keys?: string
  run(): void
  /** Of its button in the bar. */
  icon?: IconName
  /** Whether the button is pressed. */
  isOn?(): boolean
  /** Whether the command is available now; default: always. */
  when?(): boolean
  /** The dialog that it opens: the value of `dialog` in state.ts, and the class of the element. */
  dialog?: string
  /** Loads the content of the dialog, when it is opened first. */
  load?(): Promise<ComponentType<DialogProps>>
}

/** A command that opens a dialog. */
export const opens = (
  name: string,
  command: Omit<Command, 'dialog' | 'run'> & Required<Pick<Command, 'load'>>,
): Command => ({
  ...command,
  dialog: name,
  run: () => show({ dialog: name }),
})
