/** Texts of the notes, in English. */

import type { Plural } from '../../../src/translation.ts'

const found: Plural = { other: '{count} of {all} found' }
const offered: Plural = {
  one: 'Offered: one note, and which one is open. Nothing else of this page.',
  other: 'Offered: {count} notes, and which one is open. Nothing else of this page.',
}

export const texts = {
  name: 'Notes',
  description: 'Notes that live in this browser, and that assistants can read through PageMCP.',
  instructions:
    'Notes of the person at this browser. Each note is a resource; read before you quote.',
  all: 'All notes',
  searchNotes: 'Search notes',
  search: 'Search',
  add: 'New',
  keys: { choose: 'choose', edit: 'edit', add: 'new', search: 'search', delete: 'delete' },
  note: 'Note',
  delete: 'Delete',
  checkOff: 'Check off',
  checkedDescription:
    'The user has checked off a note. Read it by its URI, and say what is left if they have asked for that',
  title: 'Title',
  untitled: 'Untitled',
  text: 'Text',
  textHint: 'Write something an assistant may read…',
  noText: 'No text',
  known: 'Assistants know this note as',
  question: '“What is in my notes about Lisbon?”',
  deleted: 'Deleted “{title}”.',
  saving: 'Saving…',
  saved: 'Saved',
  notSaved: 'Not saved: {reason}',
  found,
  offered,
  empty: 'No notes yet',
  emptyText: 'Press New and write the first one.',
  notFound: 'Nothing found',
  notFoundText: 'No note has “{text}” in it.',
  justNow: 'just now',
  readAgo: 'read {when}',
  by: 'by {client}',
  anAssistant: 'an assistant',
  openNote: 'The open note',
  openDescription: 'What is on the screen right now.',
  store: 'The store of the notes',
  skill: 'Instructions for assistants',
  deletedNote: 'A deleted note',
  seeds: [
    {
      title: 'Trip to Lisbon',
      text: 'Flight on Friday at 09:40, back on Tuesday.\n\n- Tram 28 early, before the queues\n- Pastéis in Belém\n- Ask Ana about the fado place in Alfama\n\nBudget: 600 €, 140 € spent on the hotel deposit.',
    },
    {
      title: 'Shopping',
      text: '- Lemons\n- Olive oil\n- Chickpeas, two cans\n- Something nice for Sunday',
    },
    {
      title: 'Welcome',
      text: 'These notes live in this browser, in IndexedDB. No server has them.\n\nWhen this page is joined, an assistant can read them through PageMCP, and gets notified when you change one. This page shows what it reads.\n\nTry it: ask your assistant what you still have to buy, then add something to the list and ask again.',
    },
  ],
}
