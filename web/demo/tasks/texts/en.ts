/** Texts of the tasks, in English. */

import type { Plural } from '../../shared/texts.ts'

const left: Plural = { other: '{count} open' }

export const texts = {
  name: 'Tasks',
  description: 'A task list on Dexie, in this browser, that assistants can read through PageMCP.',
  instructions:
    'The task list of the person at this browser. Open tasks: idb:///tasks-app/tasks/index/state/s.open.',
  newTask: 'New task',
  newHint: 'What is to be done?',
  due: 'Due',
  today: 'Today',
  tomorrow: 'Tomorrow',
  inAWeek: 'In a week',
  someDay: 'Some day',
  add: 'Add',
  show: 'Show',
  open: 'Open',
  done: 'Done',
  all: 'All',
  list: 'Tasks',
  left,
  nothingLeft: 'Nothing left',
  noneDone: 'Nothing is done yet.',
  noneOpen: 'Nothing to do. Enjoy the day.',
  readAt: 'read {when}',
  delete: 'Delete {title}',
  deleted: 'Deleted “{title}”.',
  offered: 'Offered: the tasks, and indexes over state and day. Nothing else of this page.',
  question: '“What is still to be done today?”',
  askFirst: 'Ask me before assistants use this page',
  seen: 'What assistants see',
  seenSchema: 'the schema: stores, keys, indexes',
  seenTask: 'one task',
  seenOpen: 'all open tasks',
  seenDue: 'what is due until then',
  seeds: [
    'Book the dentist',
    'Send Ana the photos from Lisbon',
    'Water the plants',
    'Pay the electricity bill',
    'Return the library books',
    'Learn to bake sourdough',
  ],
}

export type TasksTexts = typeof texts
