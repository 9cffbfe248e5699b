/** @jsxImportSource preact */
/** A button and a popover beside it, which closes on a choice, on Escape, and on a click elsewhere. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

const gap = 4 // px between button and menu, and between menu and window

/**
 * @param icon - instead of the label, which is then the button's name only
 * @param children - are drawn while the menu is open
 */
export function Menu({
  label,
  icon,
  children,
}: {
  label: string
  icon?: IconName
  children: (close: () => void) => ComponentChildren
}) {
  const id = useId()
  const shown = useSignal(false)
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  return (
    <>
      <button
        ref={button}
        type="button"
        class={icon ? 'icon-button' : 'ghost'}
        popovertarget={id}
        aria-expanded={shown.value}
        {...(icon && { 'aria-label': label, title: label })}
      >
        {icon ? (
          <Icon name={icon} />
        ) : (
          <>
            {label} <Icon name="down" />
          </>
        )}
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        popover="auto"
        tabIndex={-1}
        onToggle={({ newState }) => {
          shown.value = newState === 'open'
          // after its children are drawn: their size decides the place
          if (shown.peek()) requestAnimationFrame(() => place(menu.current, button.current))
        }}
      >
        {shown.value && children(() => menu.current?.hidePopover())}
      </div>
    </>
  )
}

/** Below the button, or above it if there is more room; inside the window. */
function place(menu: HTMLElement | null, button: HTMLElement | null): void {
  if (!menu || !button) return
  const { left, right, top, bottom } = button.getBoundingClientRect()
  const { width, height } = menu.getBoundingClientRect()
  const rtl = getComputedStyle(button).direction === 'rtl'
  const x = rtl || left + width > innerWidth - gap ? right - width : left
  const above = bottom + height > innerHeight - gap && top > innerHeight - bottom
  menu.style.left = `${Math.max(gap, Math.min(x, innerWidth - width - gap))}px`
  menu.style.top = `${Math.max(gap, above ? top - height - gap : bottom + gap)}px`
}
