/** @jsxImportSource preact */
/** The timeline as a sequence diagram. Only visible lines are drawn. */

import { useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { selected } from '../base/state.ts'
import { clientName, named } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { Bars } from './bars.ts'
import { useCursor } from './cursor.ts'
import {
  type Arrow,
  arrowOf,
  boxesOf,
  type Column,
  columnsOf,
  endsOf,
  headOf,
  labelLines,
  listed,
  middle,
  minColumnWidth,
  type Naming,
  tailOf,
  widthOf,
} from './diagram.ts'
import { line } from './format.ts'
import { revisionAt } from './hints.ts'
import { useScroller } from './scroller.ts'
import { SequenceFiles } from './sequence-files.tsx'
import { cursor, drawn, follow, shown } from './view.ts'

const bars = new Bars(store)

/** px; `letter` is the mean width of a character, `text` the font size, `narrow` the minimum width of a column. */
const sizes = {
  usual: { step: 40, head: 48, bar: 10, letter: 7.3, text: 12, narrow: minColumnWidth },
  large: { step: 66, head: 66, bar: 16, letter: 10.9, text: 18, narrow: 214 },
}

/** Rows beyond the visible ones whose connections get a column, so that columns rarely change. */
const around = 200 // rows

export interface SequenceProps {
  /** Rows to draw, oldest first; default: those that match the filter. */
  rows?: () => readonly number[]
  /** Text of 18 px and more, readable from a distance. */
  large?: boolean
  /** Names of connections; default: `Client A`, and the title of the server. */
  naming?: Naming
}

export function Sequence({ rows: given, large = false, naming = clientName }: SequenceProps) {
  drawn.value
  named.value
  const some = given?.()
  const list = useMemo(() => (some ? listed(some) : shown), [some])
  const following = useSignal(true)
  const { step, head, bar, letter, text, narrow } = large ? sizes.large : sizes.usual
  const scroller = useScroller(list, {
    rowHeight: step,
    head,
    follow: given ? following : follow,
  })
  const keys = useCursor(list, scroller)
  const space = useSignal(800)
  useLayoutEffect(() => {
    const element = scroller.ref.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      space.value = element.clientWidth
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller.ref, space])

  const { first, end, top, height } = scroller.view
  const latest = new Map<number, number>() // the last of these rows by connection
  for (let i = Math.max(0, first - around); i < Math.min(list.length, end + around); i++) {
    latest.set(store.connection(list.row(i)), list.row(i))
  }
  const columns = columnsOf(latest.keys(), naming, t('timeline.client'), (connection) =>
    revisionAt(latest.get(connection) as number),
  )
  const width = Math.max(space.value, columns.length * narrow)
  const measures = { width, step, bar }
  const shift = -first * step // lines count from the list's first line, the drawing from its own
  return (
    <div class={`tl-frame fill${large ? ' sq-large' : ''}`}>
      {given ? null : <SequenceFiles bars={bars} />}
      {/* biome-ignore lint/a11y/useSemanticElements: no field set, but what arrows move in */}
      <div
        class="tl-scroll sq"
        role="group"
        aria-label={t('timeline.sequenceOf')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls both ways
        tabIndex={0}
        ref={scroller.ref}
        onScroll={scroller.onScroll}
        onWheel={scroller.onWheel}
        onKeyDown={keys.onKeyDown}
        onFocusCapture={keys.onFocusCapture}
      >
        <div class="sq-heads" style={{ width: px(width), height: px(head) }}>
          {columns.map(({ title, kind, revision }, index) => (
            <span
              key={`${kind} ${title}`}
              class={`sq-head sq-${kind}`}
              title={title}
              style={{
                insetInlineStart: px(middle(index, columns.length, width)),
                maxInlineSize: px(width / columns.length - 8),
              }}
            >
              {title}
              {revision && <small> {revision}</small>}
            </span>
          ))}
        </div>
        <div class="tl-rows" style={{ width: px(width), height: px(height) }}>
          {/* biome-ignore lint/a11y/noSvgWithoutTitle: each message in it has a label */}
          <svg width={width} height={(end - first + 1) * step} style={{ insetBlockStart: px(top) }}>
            {columns.map(({ kind, title }, index) => {
              const x = middle(index, columns.length, width)
              return (
                <line
                  key={`${kind} ${title}`}
                  class="sq-life"
                  x1={x}
                  x2={x}
                  y1={0}
                  y2={(end - first + 1) * step}
                />
              )
            })}
            {boxesOf(bars, list, first, end, columns, measures).map((box) => (
              <rect
                key={`${box.x} ${box.y}`}
                class={box.open ? 'sq-bar sq-open' : 'sq-bar'}
                x={box.x}
                y={box.y + shift}
                width={box.width}
                height={box.height}
              />
            ))}
            {keys.places.map((index) => {
              const arrow = arrowOf(store, list, index, columns, measures)
              return (
                <Message
                  key={arrow.row}
                  arrow={{ ...arrow, y: arrow.y + shift }}
                  step={step}
                  width={width}
                  letter={letter}
                  size={text}
                  columns={columns}
                  home={index === keys.home}
                />
              )
            })}
          </svg>
        </div>
      </div>
    </div>
  )
}

const px = (length: number) => `${length}px`

interface MessageProps {
  arrow: Arrow
  step: number
  width: number
  letter: number
  size: number
  columns: readonly Column[]
  home: boolean
}

function Message({ arrow, step, width, letter, size, columns, home }: MessageProps) {
  const { row, kind, y, x1, x2 } = arrow
  const text = line(store, row)
  const isEvent = kind === 'world'
  const [from, to] = endsOf(store, row, columns)
  const said = isEvent
    ? t('timeline.event', { what: text })
    : t('timeline.arrow', {
        from: columns[from]?.title ?? '',
        to: columns[to]?.title ?? '',
        what: text,
      })
  const left = Math.min(x1, x2)
  const span = Math.abs(x2 - x1)
  // An event stays in its column, or between the two of its connection.
  const room = Math.max(span, width / columns.length - 8)
  const wide = isEvent ? Math.min(room, Math.max(span, widthOf(text, letter) + 24)) : span
  const free = wide - size * 1.5
  // The ellipsis is drawn: speech input needs words of the button's name (WCAG 2.5.3).
  // Of a message the end says which, of an event the beginning says what.
  const { lines, isCut } = labelLines(text, free, letter, isEvent ? headOf : tailOf)
  const above = lines.length > 1 ? (lines[0] as string) : ''
  const last = lines.at(-1) as string
  const widest = Math.max(...lines.map((line) => widthOf(line, letter))) + (isCut ? letter : 0)
  const under = widest + 4 // px; covers the lifelines behind the text
  const start = isEvent ? Math.max(4, Math.min(width - wide - 4, (x1 + x2 - wide) / 2)) : left
  const middle = start + wide / 2
  const shift = isCut ? (letter / 2) * (isEvent ? -1 : 1) : 0 // of the line with the ellipsis
  const cutLine = widthOf((isEvent ? last : (lines[0] as string)).trimEnd(), letter)
  const dots = isEvent ? middle + cutLine / 2 : middle - cutLine / 2 - letter * 0.6
  const back = x2 < x1 ? 1 : -1
  const high = above === '' ? 0 : size * 1.15 // px between two baselines
  const base = isEvent ? y - step * 0.06 + high / 2 : y - step * 0.15 // of the last line
  const pick = () => {
    cursor.value = row
    actions.inspect(row)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: there is no button in SVG
    <g
      class={`sq-message sq-is-${kind} sq-${store.state(row)}`}
      role="button"
      aria-label={said}
      aria-pressed={selected.value === row}
      tabindex={home ? 0 : -1} // SVG attributes are case-sensitive
      data-row={row}
      onClick={pick}
    >
      <rect class="sq-hit" x={start} y={y - step * 0.62} width={wide} height={step * 0.9} rx={4} />
      {isEvent ? null : (
        <>
          <line class="sq-line" x1={x1} x2={x2} y1={y} y2={y} />
          <path class="sq-tip" d={`M${x2},${y}l${back * 9},-5v10z`} />
        </>
      )}
      <rect
        class="sq-under"
        x={start + (wide - under) / 2}
        y={base - size - high}
        width={under}
        height={size * 1.3 + high}
      />
      <text>
        {above && (
          <tspan x={middle + (isEvent ? 0 : shift)} y={base - high}>
            {above}
          </tspan>
        )}
        <tspan x={middle + (above && !isEvent ? 0 : shift)} y={base}>
          {last}
        </tspan>
      </text>
      {isCut && (
        <path
          class="sq-line sq-dots"
          stroke-linecap="round"
          d={`M${dots} ${isEvent ? base : base - high}h.1m${letter / 3} 0h.1m${letter / 3} 0h.1`}
        />
      )}
    </g>
  )
}
