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
      if (key.length === 1 && !singleKeys.peek()) return
      const onButton = event.target instanceof Element && event.target.closest('button, a, input')
      if (key === 'Space' && onButton) return // Space presses the button
      if (key === 'Escape' && document.fullscreenElement) return // the browser leaves full screen first
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
