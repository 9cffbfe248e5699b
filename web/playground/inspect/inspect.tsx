/** @jsxImportSource preact */
import { selected, store } from '../app/state.ts'

export function Inspect() {
  const row = selected.value
  return <pre>{row === undefined ? '' : store.raw(row)}</pre>
}
