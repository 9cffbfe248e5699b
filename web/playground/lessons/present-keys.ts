/** Keys of a presentation. */

import { useLayoutEffect, useRef } from 'preact/hooks'
import { singleKeys, written } from '../base/keys.ts'

/**
 * Handles keys before the shell does: here Space shows the next step instead of pausing. Single letters can be
 * switched off, as everywhere.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>) {
  const current = useRef(keys)
  current.current = keys
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const key = written(event)
      const act = Object.hasOwn(current.current, key) ? current.current[key] : undefined
      if (act === undefined || event.repeat || event.isComposing) return
      const on = event.target as Element // keys have no other targets
      if (key.length === 1 && (on.matches('input') || !singleKeys.peek())) return
      if (key === 'Space' && on.closest('button, a, input')) return // Space presses the button
      // The browser closes a menu and leaves full screen first.
      if (key === 'Escape' && document.querySelector(':fullscreen, :popover-open')) return
      event.preventDefault()
      event.stopPropagation()
      act()
    }
    addEventListener('keydown', listener, true)
    return () => removeEventListener('keydown', listener, true)
  }, [])
}

export function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen()
  else document.documentElement.requestFullscreen?.().catch(() => {}) // forbidden in some iframes
}
