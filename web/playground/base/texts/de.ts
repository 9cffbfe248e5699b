import type { Messages } from '../../locale/texts.ts'

export const base: Messages['base'] = {
  loading: 'Wird geladen …',
  failedToLoad:
    'Dieser Teil wurde nicht geladen: {reason}. Erneut versuchen oder die Seite neu laden.',
  tryAgain: 'Erneut versuchen',
  copied: 'In die Zwischenablage kopiert',
  notCopied: 'Nicht kopiert: Der Browser verweigert den Zugriff auf die Zwischenablage',
}
