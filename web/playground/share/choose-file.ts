/** The browser's dialog for files. */

/** Lets a person choose transcripts, which are read then. Call it in a handler of a click or a key. */
export function chooseFile(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.accept = '.jsonl,.json,.gz,application/json,application/jsonl,application/gzip'
  input.onchange = async () => {
    const { importFiles } = await import('./files.ts')
    await importFiles(input.files ?? [])
  }
  input.click()
}
