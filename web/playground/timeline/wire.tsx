/** @jsxImportSource preact */
export function Wire() {
  return <p />
}
