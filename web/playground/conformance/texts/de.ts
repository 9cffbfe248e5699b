import type { Messages } from '../../locale/texts.ts'

export const conformance: Messages['conformance'] = {
  title: 'Konformität',
  about:
    'Sendet Lesezugriffe, Listen, Abonnements und fehlerhafte Nachrichten an {server}, in beiden Generationen, und prüft damit {count} Anforderungen.',
  run: 'Prüfen',
  stop: 'Anhalten',
  mayCall: 'Darf Werkzeuge aufrufen, die es nicht gibt',
  passed: 'Bestanden',
  failed: 'Nicht bestanden',
  none: 'Nicht anwendbar',
  others: 'Nicht geprüft, mit Grund',
}
