/** Texts of the drop, in English. */

import type { Plural } from '../../../src/translation.ts'

const count: Plural = { one: 'one file, {size}', other: '{count} files, {size}' }

export const texts = {
  name: 'Drop',
  description:
    'Files in this browser’s private file system, which assistants read through PageMCP.',
  lead: 'Files that you put here stay in this browser, in its private file system. Assistants can read what is in the drop, and nothing else; they cannot change it.',
  instructions: 'Files that the person at this browser has dropped here.',
  drop: 'Drop or paste files here',
  choose: 'Choose files',
  inDrop: 'In the drop',
  count,
  empty: 'No files yet',
  emptyText: 'Add a file of yours, or begin with three samples.',
  samples: 'Add samples',
  show: 'Show {name}',
  delete: 'Delete {name}',
  deleted: 'Deleted “{name}”.',
  replaced: 'Replaced “{name}”.',
  readAt: 'read {when}',
  preview: 'Assistants read this:',
  cut: 'The first {size} of {all}.',
  binary: 'A file without text: assistants get its bytes.',
  emptyFile: 'This file is empty.',
  problem: '{name} was not stored: {reason}',
  offered: 'Offered: the files in the drop and their names. Nothing else of this browser.',
  question: '“What is in the files that I dropped?”',
  seeds: [
    {
      name: 'recipe.md',
      text: '# Pear tart\n\n- 4 pears\n- 200 g flour\n- 100 g butter\n\nBake for 40 minutes at 180 °C.\n',
    },
    {
      name: 'expenses.csv',
      text: 'day,what,euro\n2026-11-02,train,38.50\n2026-11-09,hotel,124.00\n2026-11-17,museum,16.00\n',
    },
    { name: 'settings.json', text: '{\n  "language": "en",\n  "units": "metric"\n}\n' },
  ],
}
