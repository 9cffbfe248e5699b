/** What can be done, as data: the palette, the keys and the help are made of it. */

import type { Key } from './i18n.ts'

export interface Command {
  /** Stable, `area.verb`. */
  id: string
  title: Key
  /** For `{…}` in the title. */
  params?: Readonly<Record<string, string | number>>
  /**
   * `Mod+Enter`, `Alt+ArrowUp`, `/`, `Space`, `F6`, or a sequence such as `G L`. `Mod` is Ctrl, on
   * Apple's systems ⌘. Keys without Mod, Alt or a function key act outside of text fields only, and can
   * be switched off (WCAG 2.1.4).
   */
  keys?: string
  run(): void
  /** Whether it can be done now; default: always. */
  when?(): boolean
}
