/** @jsxImportSource preact */
/** Dividers between panes: dragged, moved by arrow keys, reset by a double click. */

import type { TargetedPointerEvent } from 'preact'
import { useRef } from 'preact/hooks'
import { type Key, t } from '../base/i18n.ts'
import { change, defaultSizes, type Settings, settings } from '../base/settings.ts'

export type Resizable = keyof Settings['sizes']

const limits: { readonly [name in Resizable]: readonly [number, number] } = {
  explore: [180, 560],
  inspect: [240, 800],
  timeline: [15, 80],
}

/** How far an arrow key moves a divider: px, or percent. */
const steps: { readonly [name in Resizable]: number } = { explore: 16, inspect: 16, timeline: 2 }

const bounded = (name: Resizable, size: number) => {
  const [least, most] = limits[name]
  return Math.round(Math.min(most, Math.max(least, size)))
}

const keep = (name: Resizable, size: number) =>
  change({ sizes: { ...settings.peek().sizes, [name]: size } })

/** @param beside - the pane on its other side, for its label */
export function Divider({ of, beside }: { of: Resizable; beside: Key }) {
  const across = of === 'timeline'
  const grow = of === 'explore' ? 1 : -1 // the direction that enlarges its pane
  const size = settings.value.sizes[of]
  const dragged = useRef(size)
  const drag = ({
    currentTarget,
    buttons,
    clientX,
    clientY,
  }: TargetedPointerEvent<HTMLElement>) => {
    const panes = currentTarget.parentElement
    if (buttons !== 1 || panes === null) return
    const { left, right, bottom, height } = panes.getBoundingClientRect()
    const wanted = across
      ? ((bottom - clientY) / height) * 100
      : of === 'explore'
        ? clientX - left
        : right - clientX
    dragged.current = bounded(of, wanted)
    // Kept at the end of the drag: storage is not written at each step.
    panes.style.setProperty(`--${of}`, `${dragged.current}${across ? '%' : 'px'}`)
  }
  const key = (event: KeyboardEvent) => {
    const [less, more] = across ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight']
    if (event.key !== less && event.key !== more) return
    event.preventDefault()
    keep(of, bounded(of, size + steps[of] * grow * (event.key === more ? 1 : -1)))
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
      aria-valuenow={size}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={(event) => {
        dragged.current = size
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={drag}
      onLostPointerCapture={() => keep(of, dragged.current)}
      onKeyDown={key}
      onDblClick={() => keep(of, defaultSizes[of])}
    />
  )
}
