/** Texts of the tasks, in German. */

import type { TasksTexts } from './en.ts'

export const texts: TasksTexts = {
  name: 'Aufgaben',
  description:
    'Eine Aufgabenliste mit Dexie, in diesem Browser, die Assistenten über PageMCP lesen können.',
  instructions:
    'Die Aufgabenliste der Person an diesem Browser. Offene Aufgaben: idb:///tasks-app/tasks/index/state/s.open.',
  newTask: 'Neue Aufgabe',
  newHint: 'Was ist zu tun?',
  due: 'Fällig',
  today: 'Heute',
  tomorrow: 'Morgen',
  inAWeek: 'In einer Woche',
  someDay: 'Irgendwann',
  add: 'Ergänzen',
  show: 'Anzeigen',
  open: 'Offen',
  done: 'Erledigt',
  all: 'Alle',
  list: 'Aufgaben',
  left: { other: '{count} offen' },
  nothingLeft: 'Nichts mehr offen',
  noneDone: 'Noch ist nichts erledigt.',
  noneOpen: 'Nichts zu tun. Schönen Tag!',
  readAt: 'gelesen {when}',
  delete: '{title} löschen',
  deleted: '„{title}“ gelöscht.',
  offered: 'Lesbar: die Aufgaben und Indizes über Zustand und Tag. Sonst nichts von dieser Seite.',
  question: '„Was ist heute noch zu tun?“',
  askFirst: 'Fragen, bevor Assistenten diese Seite nutzen',
  seen: 'Was Assistenten sehen',
  seenSchema: 'das Schema: Speicher, Schlüssel, Indizes',
  seenTask: 'eine Aufgabe',
  seenOpen: 'alle offenen Aufgaben',
  seenDue: 'was bis dahin fällig ist',
  seeds: [
    'Termin beim Zahnarzt vereinbaren',
    'Ana die Fotos aus Lissabon schicken',
    'Blumen gießen',
    'Stromrechnung bezahlen',
    'Bücher in die Bibliothek zurückbringen',
    'Sauerteigbrot backen lernen',
  ],
}
