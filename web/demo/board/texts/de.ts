/** Texts of the board, in German. */

import type { BoardTexts } from './en.ts'

export const texts: BoardTexts = {
  name: 'Pinnwand',
  description:
    'Eine Pinnwand: Jeder offene Tab ist eine Notiz, und Assistenten lesen alle über PageMCP.',
  lead: 'Jeder offene Tab dieser Seite ist eine Notiz. Jeder Tab zeigt alle, und ein Assistent, der einen Tab erreicht, kann alle lesen.',
  instructions:
    'Eine Pinnwand: Jeder offene Tab ist eine Notiz. tab:///{id}/text ist die Notiz eines Tabs; tab:/// führt die Tabs auf.',
  all: 'Alle Tabs',
  count: { one: 'ein Tab', other: '{count} Tabs' },
  ownNote: 'Die Notiz dieses Tabs',
  hint: 'Etwas auf diesen Tab schreiben …',
  emptyNote: 'Leere Notiz',
  thisTab: 'dieser Tab',
  open: 'offen',
  background: 'im Hintergrund',
  lastUsed: 'zuletzt benutzt',
  changed: 'geändert {when}',
  readAt: 'gelesen {when}',
  another: 'Weiteren Tab öffnen',
  anotherText: 'Er wird hier sofort zur Notiz.',
  closed: 'Die Notiz „{title}“ ist mit ihrem Tab geschlossen worden.',
  reopen: 'Wieder öffnen',
  offered:
    'Lesbar: die Notizen dieser Pinnwand und die Titel der offenen Tabs dieser Website. Sonst nichts von diesem Browser.',
  question: '„Was steht auf meiner Pinnwand?“',
  list: 'Die Liste der Tabs',
  goneNote: 'Ein geschlossener Tab',
  known: 'Assistenten kennen sie als {uri}',
  seed: 'Am Samstag mitbringen\n\n– Klappstühle\n– das große Zelt\n– Holzkohle',
}
