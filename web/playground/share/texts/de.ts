import type { Messages } from '../../locale/texts.ts'

export const share: Messages['share'] = {
  title: 'Teilen',
  close: 'Schließen',
  link: 'Link',
  linkAbout:
    'Der Link selbst enthält die Nachrichten; kein Server speichert sie. Das Öffnen sendet nichts.',
  allTabs: 'Alle {count} Tabs',
  copyLink: 'Link kopieren',
  copyConversation: 'Link zu allen Nachrichten kopieren',
  length: '{count} Zeichen; ein Link darf {most} haben.',
  tooLong: 'Zu lang für einen Link; eine Datei hat Platz.',
  inside: 'Inhalt des Links',
  target: 'Ziel:',
  demo: 'die Demo in der Seite',
  saveMessages: 'Nachrichten als Datei speichern',
  transcript: 'Mitschrift',
  transcriptAbout:
    'Alle Nachrichten als Datei oder Link. Eine Datei öffnet sich hier wie laufende Nachrichten und lässt sich auf die Seite ziehen; ein Link spielt sie ab und sendet nichts.',
  redact: 'Mögliche Geheimnisse entfernen',
  pack: 'Komprimieren (gzip)',
  onlyShown: 'Nur Zeilen, die zum Filter passen',
  save: { one: '{count} Zeile speichern', other: '{count} Zeilen speichern' },
  import: 'Mitschrift importieren',
  export: 'Mitschrift exportieren',
  mermaid: 'Als Mermaid kopieren',
  imported: {
    one: '{count} Zeile aus {name} importiert.',
    other: '{count} Zeilen aus {name} importiert.',
  },
  notImported: '{name} ist keine Mitschrift: {reason}',
  tooLarge: 'zu groß',
  badLink: 'Der Link ließ sich nicht öffnen: {reason}',
  from: 'Aus einem Link, geschrieben für {target}. Noch wurde nichts gesendet.',
  copy: {
    raw: 'Rohe Nachricht',
    curl: 'curl',
    typescript: 'TypeScript (SDK)',
    go: 'Go (SDK)',
    config: 'Einstellungen für Assistenten (mcp.json)',
    markdown: 'Markdown für ein Issue',
  },
}
