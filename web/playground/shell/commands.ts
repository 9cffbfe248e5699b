/** Commands of the shell. */

import type { Command } from '../base/commands.ts'
import { type Locale, locales, setLocale } from '../base/i18n.ts'
import { embedded } from '../base/settings.ts'
import { goToPane, layout, panes, show } from '../base/state.ts'
import { type Theme, theme } from '../base/theme.ts'
import { barCommands } from './bar-commands.ts'
import { replayIntroduction } from './open-demo.ts'

function nextPane() {
  const focused = document.activeElement?.closest<HTMLElement>('.pane')?.dataset.pane
  const at = panes.findIndex((name) => name === (focused ?? layout.peek().pane))
  const next = panes[focused === undefined ? Math.max(at, 0) : (at + 1) % panes.length]
  if (next !== undefined) goToPane(next)
}

const themes = {
  system: 'shell.useThemeSystem',
  light: 'shell.useThemeLight',
  dark: 'shell.useThemeDark',
} as const
const languages = {
  en: 'shell.inEnglish',
  'zh-Hans': 'shell.inChinese',
  ja: 'shell.inJapanese',
  de: 'shell.inGerman',
} as const

export const appCommands: readonly Command[] = [
  ...barCommands,
  { id: 'shell.keys', title: 'shell.keys', keys: '?', run: () => show({ dialog: 'keys' }) },
  { id: 'shell.nextPane', title: 'shell.nextPane', keys: 'F6', run: nextPane },
  {
    id: 'shell.introduction',
    title: 'shell.introduction',
    run: () => replayIntroduction(),
    when: () => !embedded,
  },
  ...(Object.keys(themes) as Theme[]).map((one) => ({
    id: `shell.theme.${one}`,
    title: themes[one],
    run: () => {
      theme.value = one
    },
  })),
  ...locales.map((one: (typeof locales)[number]) => ({
    id: `shell.locale.${one}`,
    title: languages[one],
    run: () => {
      setLocale(one as Locale)
    },
  })),
]
