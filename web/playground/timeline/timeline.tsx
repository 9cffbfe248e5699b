/** @jsxImportSource preact */
import { store } from '../app/state.ts'

export function Timeline() {
  store.changed.value
  const rows = Array.from({ length: store.length }, (_, row) => row)
  return (
    <ol>
      {rows.map((row) => (
        <li key={row}>
          {store.direction(row)} {store.raw(row)}
        </li>
      ))}
    </ol>
  )
}
