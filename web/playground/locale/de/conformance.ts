import type { Messages } from '../texts.ts'

export const conformance: Messages['conformance'] = {
  title: 'Konformität',
  command: 'Konformität prüfen …',
  about:
    'Prüft {count} Anforderungen von MCP an {server}, in beiden Generationen. Gesendet werden Lesezugriffe, Listen, Abonnements und fehlerhafte Nachrichten; die Zeitleiste zeigt sie.',
  run: 'Prüfen',
  stop: 'Anhalten',
  mayCall: 'Darf Werkzeuge aufrufen, mit Namen, die es nicht gibt',
  passed: 'Bestanden',
  failed: 'Nicht bestanden',
  none: 'Nicht anwendbar',
  show: 'Nachricht anzeigen',
  others: 'Nicht geprüft, mit Grund',
}
