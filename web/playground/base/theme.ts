/** The colour theme: light, dark, or that of the system. */

import type { Signal } from '@preact/signals'
import { setting } from './settings.ts'

export type Theme = 'system' | 'light' | 'dark'

export const theme: Signal<string> = setting('theme', 'system')

/** Applies the theme to the document, now and at each change. */
export function followTheme(): void {
  theme.subscribe((wanted) => {
    const { dataset } = document.documentElement
    if (wanted === 'light' || wanted === 'dark') dataset.theme = wanted
    else delete dataset.theme
  })
}
