/** @jsxImportSource preact */
export function Present() {
  return null
}
