/** @jsxImportSource preact */
/** Dividers between panes: dragged, moved by arrow keys, reset by a double click. */

import { signal } from '@preact/signals'
import { type Key, t } from '../base/i18n.ts'
import { setting } from '../base/settings.ts'

/** Default sizes of panes: widths in px, the timeline's height in percent. */
const defaults = { explore: 420, inspect: 400, timeline: 38 }
export type Resizable = keyof typeof defaults

const stored = setting('sizes', defaults)
export const sizes = signal(stored.peek())

/** Stores the sizes: at the end of a drag, not at each of its steps. */
const keep = () => {
  stored.value = sizes.value
}

const limits: { readonly [name in Resizable]: readonly [number, number] } = {
  explore: [180, 560],
  inspect: [240, 800],
  timeline: [15, 80],
}

/** How far an arrow key moves a divider: px, or percent. */
const steps: { readonly [name in Resizable]: number } = { explore: 16, inspect: 16, timeline: 2 }

function resize(name: Resizable, size: number) {
  const [least, most] = limits[name]
  sizes.value = { ...sizes.value, [name]: Math.round(Math.min(most, Math.max(least, size))) }
}

/** @param beside - the pane on its other side, for its label */
export function Divider({ of, beside }: { of: Resizable; beside: Key }) {
  const across = of === 'timeline'
  const grow = of === 'explore' ? 1 : -1 // the direction that enlarges its pane
  const drag = (event: PointerEvent) => {
    const divider = event.currentTarget as HTMLElement
    const all = divider.parentElement?.getBoundingClientRect()
    if (event.buttons !== 1 || all === undefined) return
    if (of === 'timeline') resize(of, ((all.bottom - event.clientY) / all.height) * 100)
    else resize(of, of === 'explore' ? event.clientX - all.left : all.right - event.clientX)
  }
  const key = (event: KeyboardEvent) => {
    const [less, more] = across ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight']
    if (event.key !== less && event.key !== more) return
    event.preventDefault()
    resize(of, sizes.value[of] + steps[of] * grow * (event.key === more ? 1 : -1))
    keep()
  }
  const [least, most] = limits[of]
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be moved; this is the pattern of a window splitter
    <div
      class="divider"
      role="separator"
      tabIndex={0}
      data-of={of}
      aria-orientation={across ? 'horizontal' : 'vertical'}
      aria-label={t('shell.resize', { a: t(`shell.${of}`), b: t(beside) })}
      aria-valuenow={sizes.value[of]}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onLostPointerCapture={keep}
      onKeyDown={key}
      onDblClick={() => {
        sizes.value = { ...sizes.value, [of]: defaults[of] }
        keep()
      }}
    />
  )
}
