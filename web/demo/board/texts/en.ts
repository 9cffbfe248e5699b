/** Texts of the board, in English. */

import type { Plural } from '../../../src/translation.ts'

const count: Plural = { one: 'one tab', other: '{count} tabs' }

export const texts = {
  name: 'Board',
  description:
    'A board of sticky notes: each open tab is one, and assistants read them all through PageMCP.',
  lead: 'Each open tab of this page is a note. Every tab shows all of them, and an assistant that reaches one tab can read them all.',
  instructions:
    'A board of notes: each open tab is one. tab:///{id}/text is the note on a tab; tab:/// lists the tabs.',
  all: 'All tabs',
  count,
  ownNote: 'The note of this tab',
  hint: 'Write something on this tab…',
  emptyNote: 'Empty note',
  thisTab: 'this tab',
  open: 'open',
  background: 'in the background',
  lastUsed: 'used last',
  changed: 'changed {when}',
  readAt: 'read {when}',
  another: 'Open another tab',
  anotherText: 'It becomes a note here, at once.',
  closed: 'The note “{title}” went with its tab.',
  reopen: 'Open it again',
  offered:
    'Offered: the notes on this board, and the titles of the open tabs of this site. Nothing else of this browser.',
  question: '“What is on my board?”',
  list: 'The list of tabs',
  goneNote: 'A closed tab',
  known: 'Assistants know it as {uri}',
  seed: 'Things to bring on Saturday\n\n– folding chairs\n– the big tent\n– charcoal',
}
