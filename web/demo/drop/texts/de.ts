/** Texts of the drop, in German. */

import type { DropTexts } from './en.ts'

export const texts: DropTexts = {
  name: 'Ablage',
  description:
    'Dateien im privaten Dateisystem dieses Browsers, die Assistenten über PageMCP lesen.',
  lead: 'Was hier abgelegt wird, bleibt in diesem Browser, in seinem privaten Dateisystem. Assistenten können die Ablage lesen, sonst nichts; ändern können sie nichts.',
  instructions: 'Dateien, die die Person an diesem Browser abgelegt hat.',
  drop: 'Dateien hier ablegen oder einfügen',
  choose: 'Dateien wählen',
  inDrop: 'In der Ablage',
  count: { one: 'eine Datei, {size}', other: '{count} Dateien, {size}' },
  empty: 'Noch keine Dateien',
  emptyText: 'Eine eigene Datei hinzufügen oder mit drei Beispielen beginnen.',
  samples: 'Beispiele hinzufügen',
  show: '{name} anzeigen',
  delete: '{name} löschen',
  deleted: '„{name}“ gelöscht.',
  replaced: '„{name}“ ersetzt.',
  readAt: 'gelesen {when}',
  preview: 'Das lesen Assistenten:',
  cut: 'Die ersten {size} von {all}.',
  binary: 'Eine Datei ohne Text: Assistenten erhalten ihre Bytes.',
  emptyFile: 'Diese Datei ist leer.',
  problem: '{name} wurde nicht gespeichert: {reason}',
  offered: 'Lesbar: die Dateien der Ablage und ihre Namen. Sonst nichts von diesem Browser.',
  question: '„Was steht in den abgelegten Dateien?“',
  seeds: [
    {
      name: 'rezept.md',
      text: '# Birnentarte\n\n- 4 Birnen\n- 200 g Mehl\n- 100 g Butter\n\n40 Minuten bei 180 °C backen.\n',
    },
    {
      name: 'ausgaben.csv',
      text: 'Tag,Was,Euro\n2026-11-02,Bahn,38.50\n2026-11-09,Hotel,124.00\n2026-11-17,Museum,16.00\n',
    },
    { name: 'einstellungen.json', text: '{\n  "language": "de",\n  "units": "metric"\n}\n' },
  ],
}
