/** A row of buttons that scrolls where they have no room. Its user then offers a menu with all of them. */

import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** The active button, which stays in view; in a list, with what stands beside it. */
const active = '[aria-pressed="true"], li:has(> [aria-current="true"])'

export function useStrip<E extends HTMLElement>(): {
  /** Ref of the scrolling element, whose children are the buttons. */
  ref: RefObject<E | null>
  /** Whether the buttons have no room. */
  overflows: Signal<boolean>
} {
  const ref = useRef<E>(null)
  const overflows = useSignal(false)
  // After each drawing: buttons may be others. Their texts change without one.
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      overflows.value = element.scrollWidth > element.clientWidth + 1 // px, of rounding
      element.querySelector(active)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    })
    for (const one of [element, ...element.children]) observer.observe(one)
    return () => observer.disconnect()
  })
  return { ref, overflows }
}
