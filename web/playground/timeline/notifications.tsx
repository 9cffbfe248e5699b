/** @jsxImportSource preact */
export function Notifications() {
  return null
}
