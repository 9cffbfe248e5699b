/** @jsxImportSource preact */
export function Lessons(_: { close?(): void }) {
  return null
}
