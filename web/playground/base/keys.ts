/** Runs commands by keys. The tables of commands define the keys. */

import type { Command } from './commands.ts'
import { settings } from './settings.ts'

const apple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')

/** A label for keys: `⌘K`, `Ctrl+K`. */
export function keyLabel(keys: string): string {
  return keys.replace('Mod+', apple ? '⌘' : 'Ctrl+').replace('Arrow', '')
}

/** The notation of a pressed key in the tables. */
export function written(event: KeyboardEvent): string {
  const key =
    event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key
  const mod = apple ? event.metaKey : event.ctrlKey
  const shift = event.shiftKey && event.key.length > 1 // `?` is written without Shift
  return `${mod ? 'Mod+' : ''}${event.altKey ? 'Alt+' : ''}${shift ? 'Shift+' : ''}${key}`
}

/** The longest pause between the keys of a sequence. */
const sequence = 1500 // ms

/**
 * Listens for keys of the whole page and runs their commands.
 *
 * @returns stops listening
 */
export function listenForKeys(commands: readonly Command[]): () => void {
  const byKeys = new Map(commands.flatMap((one) => (one.keys ? [[one.keys, one] as const] : [])))
  let before = { key: '', time: 0 }
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return
    if (['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return
    const key = written(event)
    const single = !/^(Mod|Alt)\+|^F\d/.test(key)
    if (single && (!settings.peek().singleKeys || isTyping(event) || inDialog())) return
    const recent = event.timeStamp - before.time < sequence ? `${before.key} ${key}` : key
    const command = byKeys.get(recent) ?? byKeys.get(key)
    before = { key, time: event.timeStamp }
    if (command === undefined || command.when?.() === false) return
    event.preventDefault()
    command.run()
  }
  addEventListener('keydown', listener)
  return () => removeEventListener('keydown', listener)
}

const inDialog = () => document.querySelector('dialog[open]') !== null

/** Whether the focused element handles the key: text input, or a button that Space presses. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.matches('input, textarea, select')) return true
  const presses = event.key === ' ' || event.key === 'Enter'
  return (
    presses &&
    target.closest('button, a, summary, [role=option], [role=row], [tabindex="0"]') !== null
  )
}
