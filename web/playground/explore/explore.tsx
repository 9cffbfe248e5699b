/** @jsxImportSource preact */
import { active } from '../app/state.ts'

export function Explore() {
  return <p>{active.value?.peer.value?.name}</p>
}
