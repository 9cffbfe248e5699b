import { actions } from './actions.ts'
import { t } from './i18n.ts'

/** Copies a text to the clipboard, and announces the result. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    actions.announce(t('base.copied'))
  } catch {
    actions.announce(t('base.notCopied'))
  }
}
