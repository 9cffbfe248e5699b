/** Texts of the notes, in German. */

import type { NotesTexts } from './en.ts'

export const texts: NotesTexts = {
  name: 'Notizen',
  description:
    'Notizen, die in diesem Browser liegen und die Assistenten über PageMCP lesen können.',
  instructions:
    'Notizen der Person an diesem Browser. Jede Notiz ist eine Ressource; vor dem Zitieren lesen.',
  all: 'Alle Notizen',
  searchNotes: 'Notizen durchsuchen',
  search: 'Suchen',
  add: 'Neu',
  keys: { choose: 'wählen', edit: 'bearbeiten', add: 'neu', search: 'suchen', delete: 'löschen' },
  note: 'Notiz',
  delete: 'Löschen',
  checkOff: 'Abhaken',
  checkedDescription:
    'Eine Notiz wurde abgehakt. Unter ihrem URI ist sie zu lesen; wenn danach gefragt war, sagen, was noch fehlt',
  title: 'Titel',
  untitled: 'Ohne Titel',
  text: 'Text',
  textHint: 'Etwas schreiben, das ein Assistent lesen darf …',
  noText: 'Kein Text',
  known: 'Assistenten kennen diese Notiz als',
  question: '„Was steht in meinen Notizen über Lissabon?“',
  deleted: '„{title}“ gelöscht.',
  saving: 'Wird gespeichert …',
  saved: 'Gespeichert',
  notSaved: 'Nicht gespeichert: {reason}',
  found: { other: '{count} von {all} gefunden' },
  offered: {
    one: 'Lesbar: eine Notiz, und welche offen ist. Sonst nichts von dieser Seite.',
    other: 'Lesbar: {count} Notizen, und welche offen ist. Sonst nichts von dieser Seite.',
  },
  empty: 'Noch keine Notizen',
  emptyText: 'Auf „Neu“ drücken und die erste schreiben.',
  notFound: 'Nichts gefunden',
  notFoundText: 'In keiner Notiz steht „{text}“.',
  justNow: 'gerade eben',
  readAgo: 'gelesen {when}',
  by: 'von {client}',
  anAssistant: 'einem Assistenten',
  openNote: 'Die offene Notiz',
  openDescription: 'Was gerade auf dem Bildschirm steht.',
  store: 'Der Speicher der Notizen',
  skill: 'Anleitung für Assistenten',
  deletedNote: 'Eine gelöschte Notiz',
  seeds: [
    {
      title: 'Reise nach Lissabon',
      text: 'Flug am Freitag um 9:40 Uhr, zurück am Dienstag.\n\n- Tram 28 früh, vor den Schlangen\n- Pastéis in Belém\n- Ana nach dem Fado-Lokal in der Alfama fragen\n\nBudget: 600 €, davon 140 € Anzahlung für das Hotel.',
    },
    {
      title: 'Einkaufen',
      text: '- Zitronen\n- Olivenöl\n- Kichererbsen, zwei Dosen\n- Etwas Schönes für Sonntag',
    },
    {
      title: 'Willkommen',
      text: 'Diese Notizen liegen in diesem Browser, in IndexedDB. Kein Server hat sie.\n\nIst die Seite verbunden, kann ein Assistent sie über PageMCP lesen und erfährt von jeder Änderung. Die Seite zeigt, was er liest.\n\nZum Ausprobieren: einen Assistenten fragen, was noch zu kaufen ist, etwas in die Liste schreiben und noch einmal fragen.',
    },
  ],
}
