import type { Messages } from '../../app/i18n.ts'

export const app: Messages['app'] = {
  title: 'PageMCP-Spielwiese',
  lead: 'MCP-Nachrichten schreiben, an einen Server schicken, der in dieser Seite läuft, und sehen, was zurückkommt.',
  toExplore: 'Zum Erkunden springen',
  toCompose: 'Zum Verfassen springen',
  toInspect: 'Zur Nachricht springen',
  toTimeline: 'Zum Verlauf springen',
  explore: 'Erkunden',
  compose: 'Verfassen',
  inspect: 'Ansehen',
  timeline: 'Verlauf',
  loading: 'Wird geladen …',
  failedToLoad:
    'Dieser Teil wurde nicht geladen: {reason}. Bitte die Verbindung prüfen und die Seite neu laden.',
  language: 'Sprache',
  theme: 'Farben',
  themeSystem: 'Wie das System',
  themeLight: 'Hell',
  themeDark: 'Dunkel',
  client: 'Client',
  server: 'Server',
  revision: 'Protokollfassung',
  lessons: 'Lektionen',
  share: 'Teilen',
  palette: 'Alle Befehle',
  resize: 'Größe von {a} und {b}',
}
