/** @jsxImportSource preact */
/** A row of buttons that scrolls where they have no room. A menu beside it has all of them then. */

import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Menu } from './menu.tsx'

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

/** The menu. Its items are drawn by `name`. */
export function StripMenu<T>(props: {
  label: string
  items: readonly T[]
  current: T | undefined
  name(item: T): ComponentChildren
  choose(item: T): void
}) {
  return (
    <Menu label={props.label} icon="down">
      {(close) => (
        <ul>
          {props.items.map((item, index) => (
            <li key={index}>
              <button
                type="button"
                aria-current={item === props.current}
                translate={false}
                onClick={() => {
                  close()
                  props.choose(item)
                }}
              >
                {props.name(item)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  )
}
