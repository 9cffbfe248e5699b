/** @jsxImportSource preact */
/** One row of the list, redrawn only when it has changed. */

import { Component, type ComponentChildren, type HTMLAttributes } from 'preact'
import { showControlCharacters } from '../base/control-characters.ts'
import { t, tag } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { duration } from '../base/numbers.ts'
import { settings } from '../base/settings.ts'
import { sizeText } from '../base/size.ts'
import { store } from '../messages/log.ts'
import type { Bracket } from './bracket.ts'
import { directionText, outcome, rawText, targetText, translation } from './format.ts'
import { hintsOf } from './hints.ts'
import { when } from './row-time.ts'
import { statusOf } from './status.ts'
import { earlier } from './view.ts'

interface Props {
  row: number
  /** Its index among the matching rows. */
  index: number
  /** px from the top of the scrolled element. */
  y: number
  connection: string
  bracket: Bracket
  /** Tab reaches it. */
  home: boolean
  /** Inspect shows it. */
  chosen: boolean
  /** The stage shows it on its way. */
  arriving: boolean
  onPick(): void
}

const arrows = { in: 'arrow-in', out: 'arrow-out', world: 'event' } as const

/** One cell of the grid. Not `td`: a table cannot be drawn in part. */
const cell = (
  column: number,
  name: string,
  content: ComponentChildren,
  more?: HTMLAttributes<HTMLSpanElement>,
) => (
  // biome-ignore lint/a11y/useSemanticElements: said above
  // biome-ignore lint/a11y/useFocusableInteractive: the row has the focus
  <span class={`tl-${name}`} role="gridcell" aria-colindex={column} {...more}>
    {content}
  </span>
)

/** Number of characters of a target's end that are always visible. */
const tail = 14 // UTF-16 code units

export class Row extends Component<Props> {
  #shown = ''

  override shouldComponentUpdate(next: Props) {
    const { props } = this
    return (
      next.row !== props.row ||
      next.y !== props.y ||
      next.index !== props.index ||
      next.bracket !== props.bracket ||
      next.home !== props.home ||
      next.chosen !== props.chosen ||
      next.arriving !== props.arriving ||
      next.connection !== props.connection ||
      this.#shown !== this.#facts(next.row)
    )
  }

  override render(props: Props) {
    const { row, index, y, connection, bracket, home, chosen, arriving, onPick } = props
    this.#shown = this.#facts(row)
    const kind = store.kind(row)
    const answer = kind === 'result' || kind === 'error'
    const message = kind !== 'world' && kind !== 'broken' && kind !== 'batch'
    const hints = hintsOf(row)?.length ?? 0
    const target = showControlCharacters(targetText(store, row))
    return (
      // biome-ignore lint/a11y/useSemanticElements: a table cannot be drawn in part
      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
      <div
        class={`tl-row tl-is-${kind} tl-status-${statusOf(store, row)}${
          store.method(row) === 'completion/complete' ? ' tl-aside' : ''
        }${arriving ? ' tl-arriving' : ''}${row < earlier.value ? ' tl-earlier' : ''}`}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={chosen}
        tabIndex={home ? 0 : -1}
        data-row={row}
        data-client={store.connection(row) % 6}
        style={{ transform: `translateY(${y}px)` }}
        onClick={onPick}
      >
        {cell(1, 'time', when(row))}
        {cell(
          2,
          'client',
          <>
            {connection && <b>{connection}</b>} <Icon name={arrows[store.direction(row)]} />{' '}
            <span class="tl-word">{directionText(store, row)}</span>
          </>,
        )}
        {cell(3, `pair ${bracket}`, null)}
        {message ? (
          <>
            {cell(4, 'method tl-tail', <bdi>{store.method(row)}</bdi>, {
              lang: 'en',
              translate: false,
            })}
            {cell(5, 'id', store.id(row))}
            {cell(
              6,
              'target',
              <>
                <span>{target.slice(0, -tail)}</span>
                <span class="tl-tail">
                  <bdi>{target.slice(-tail)}</bdi>
                </span>
              </>,
              { title: target },
            )}
          </>
        ) : (
          cell(4, 'said', showControlCharacters(rawText(store, row).slice(0, 300)), {
            'aria-colspan': 3,
          })
        )}
        {cell(
          7,
          'status',
          <>
            {outcome(store, row)}
            {hints > 0 && <b class="tl-hints">{t('timeline.hints', { count: hints })}</b>}
          </>,
        )}
        {cell(8, 'latency', answer ? duration(store.latency(row)) : '')}
        {cell(9, 'size', kind === 'world' ? '' : sizeText(store.size(row)))}
        {cell(10, 'axis', answer ? null : <Bar row={row} />)}
      </div>
    )
  }

  /** State of a row that may change while it is visible, besides its props. */
  #facts(row: number) {
    return `${store.partner(row)} ${store.state(row)} ${settings.value.clock} ${hintsOf(row)?.length} ${tag()} ${translation.value !== undefined}`
  }
}

/** The time from a request to its response; of other messages a mark. See `axisOf` in list.tsx. */
function Bar({ row }: { row: number }) {
  const start = store.time(0)
  const { from, to } = store.times(row)
  const isOpen = to === Number.POSITIVE_INFINITY
  return (
    <i
      class={isOpen ? 'open' : ''}
      style={{ '--a': from - start, '--b': isOpen ? 0 : to - start }}
    />
  )
}
