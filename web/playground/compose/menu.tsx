/** @jsxImportSource preact */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

/** A button with a list, which closes on a choice or when it loses the focus. */
export function Menu({
  label,
  children,
}: {
  label: string
  children: (close: () => void) => ComponentChildren
}) {
  const shown = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    shown.value = false
    button.current?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles only events that its buttons do not
    <div
      ref={box}
      class="compose-menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && shown.peek()) {
          event.stopPropagation()
          close()
        }
      }}
      onFocusOut={(event) => {
        if (!box.current?.contains(event.relatedTarget as Node | null)) shown.value = false
      }}
    >
      <button
        ref={button}
        type="button"
        aria-expanded={shown.value}
        onClick={() => {
          shown.value = !shown.peek()
        }}
      >
        {label} <span aria-hidden="true">▾</span>
      </button>
      {shown.value && (
        // focusable, so that a click between its buttons does not close it
        <div class="compose-list" tabIndex={-1}>
          {children(close)}
        </div>
      )}
    </div>
  )
}
