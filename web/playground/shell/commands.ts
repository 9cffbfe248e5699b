/** Commands of the shell. */

import type { Command } from '../base/commands.ts'
import { type Locale, locales, setLocale } from '../base/i18n.ts'
import { dialog, pane, panes, side } from '../base/state.ts'
import { type Theme, theme } from '../base/theme.ts'

function nextPane() {
  const focused = document.activeElement?.closest<HTMLElement>('.pane')?.dataset.pane
  const at = panes.findIndex((name) => name === (focused ?? pane.peek()))
  const next = panes[focused === undefined ? Math.max(at, 0) : (at + 1) % panes.length]
  if (next === undefined) return
  pane.value = next
  document.getElementById(`pane-${next}`)?.focus()
}

const looks = { system: 'app.themeSystem', light: 'app.themeLight', dark: 'app.themeDark' } as const
const languages = {
  en: 'app.inEnglish',
  'zh-Hans': 'app.inChinese',
  ja: 'app.inJapanese',
  de: 'app.inGerman',
} as const

export const appCommands: readonly Command[] = [
  { id: 'app.palette', title: 'app.palette', keys: 'Mod+K', run: () => (dialog.value = 'palette') },
  { id: 'app.keys', title: 'app.keys', keys: '?', run: () => (dialog.value = 'keys') },
  { id: 'app.nextPane', title: 'app.nextPane', keys: 'F6', run: nextPane },
  { id: 'app.lessons', title: 'app.lessons', run: () => (side.value = 'lessons') },
  { id: 'app.explore', title: 'app.explore', run: () => (side.value = 'explore') },
  { id: 'app.share', title: 'app.share', run: () => (dialog.value = 'share') },
  { id: 'app.connect', title: 'app.connect', run: () => (dialog.value = 'connect') },
  ...(Object.keys(looks) as Theme[]).map((one) => ({
    id: `app.theme.${one}`,
    title: looks[one],
    run: () => {
      theme.value = one
    },
  })),
  ...locales.map((one: (typeof locales)[number]) => ({
    id: `app.locale.${one}`,
    title: languages[one],
    run: () => {
      setLocale(one as Locale)
    },
  })),
]
