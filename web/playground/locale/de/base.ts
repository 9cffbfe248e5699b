import type { Messages } from '../texts.ts'

export const base: Messages['base'] = {
  loading: 'Wird geladen …',
  failedToLoad:
    'Dieser Teil wurde nicht geladen: {reason}. Bitte die Verbindung prüfen und die Seite neu laden.',
  copied: 'In die Zwischenablage kopiert',
  notCopied: 'Nicht kopiert: Der Browser verweigert den Zugriff auf die Zwischenablage',
}
