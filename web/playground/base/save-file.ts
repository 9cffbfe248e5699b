/** Downloads a file. */
export function saveFile(name: string, type: string, contents: string | Blob): void {
  const url = URL.createObjectURL(new Blob([contents], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // ms; some browsers start to read it late
}
