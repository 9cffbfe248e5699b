/** @jsxImportSource preact */
export function Sequence() {
  return <p />
}
