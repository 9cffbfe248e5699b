/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import { t } from './i18n.ts'
import { IconButton } from './icon.tsx'

/** The head of a dialog or room: its title, and the button that closes it. */
export function Head({ title, close }: { title: ComponentChildren; close(): void }) {
  return (
    <header class="head">
      <h2>{title}</h2>
      <IconButton name="close" label={t('shell.close')} onClick={close} />
    </header>
  )
}
