/** Light, dark, or what the system says. */

import type { Signal } from '@preact/signals'
import { setting } from './settings.ts'

export type Theme = 'system' | 'light' | 'dark'

export const theme: Signal<string> = setting('theme', 'system')

/** Puts the choice where theme.css looks for it, now and whenever it changes. */
export function followTheme(): void {
  theme.subscribe((wanted) => {
    const { dataset } = document.documentElement
    if (wanted === 'light' || wanted === 'dark') dataset.theme = wanted
    else delete dataset.theme
  })
}
