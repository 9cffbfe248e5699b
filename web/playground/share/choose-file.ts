/** The browser's file dialog. */

import { importFiles } from './files.ts'

/** Lets the user choose transcripts and imports them. Browsers require a click or a key just before. */
export function chooseFile(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.accept = '.jsonl,.json,.gz,application/json,application/jsonl,application/gzip'
  input.onchange = async () => {
    await importFiles(input.files ?? [])
  }
  input.click()
}
