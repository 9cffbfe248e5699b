/** @jsxImportSource preact */
/** The timeline's wire view: exact texts, framing, headers and events of streams. */

import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import { showControlCharacters } from '../base/control-characters.ts'
import { t } from '../base/i18n.ts'
import { sizeText } from '../base/size.ts'
import { selected } from '../base/state.ts'
import { clientName, named } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { useCursor } from './cursor.ts'
import { directionText } from './format.ts'
import { when } from './row-time.ts'
import { useScroller } from './scroller.ts'
import { drawn, follow, query, refiltered, shown } from './view.ts'
import { around, Lines, wrap } from './wire-lines.ts'

/** As timeline.css has it. */
const lineHeight = 20 // px

const lines = new Lines(store, shown)

export function Wire() {
  drawn.value
  named.value
  const columns = useSignal(100)
  const begun = useRef('')
  const state = `${refiltered.value} ${columns.value}`
  // If responses matter to the filter, earlier indexes may have changed.
  if (begun.current !== state || query.value.looksAtAnswers) lines.begin(columns.value)
  begun.current = state
  lines.advance()
  const scroller = useScroller(lines, { rowHeight: lineHeight, follow })
  const { first, end, top, height } = scroller.view
  const keys = useCursor(shown, {
    ...scroller,
    view: {
      ...scroller.view,
      first: shown.length ? lines.messageAt(first) : 0,
      end: shown.length ? lines.messageAt(Math.max(first, end - 1)) + 1 : 0,
    },
    page: 5,
    show(index) {
      scroller.show(lines.start(index + 1) - 1)
      scroller.show(lines.start(index))
    },
  })
  const ruler = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const element = scroller.ref.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      const hundred = ruler.current?.getBoundingClientRect().width || 720 // px of 100 characters
      columns.value = Math.floor(((element.clientWidth - 24) / hundred) * 100)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller.ref, columns])
  return (
    <div class="tl-frame">
      {/* biome-ignore lint/a11y/useSemanticElements: no field set, but what arrows move in */}
      <div
        class="tl-scroll wr"
        role="group"
        aria-label={t('timeline.messages')}
        ref={scroller.ref}
        onScroll={scroller.onScroll}
        onWheel={scroller.onWheel}
        onKeyDown={keys.onKeyDown}
        onFocusCapture={keys.onFocusCapture}
      >
        <span class="wr-ruler" ref={ruler} aria-hidden="true" />
        <div class="tl-rows" style={{ height: `${height}px` }}>
          {keys.places.map((index) => (
            <Message
              key={shown.row(index)}
              row={shown.row(index)}
              y={top + (lines.start(index) - first) * lineHeight}
              home={index === keys.home}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

function Message({ row, y, home }: { row: number; y: number; home: boolean }) {
  const text = store.isArchived(row)
    ? [t('timeline.archived')]
    : wrap(showControlCharacters(store.raw(row)), lines.columns)
  const world = store.kind(row) === 'world'
  return (
    <div class="wr-message" style={{ transform: `translateY(${y}px)` }}>
      <button
        type="button"
        class="wr-head"
        data-row={row}
        tabIndex={home ? 0 : -1}
        aria-pressed={selected.value === row}
        onClick={() => actions.inspect(row)}
      >
        {when(row)} <b>{clientName(store.connection(row)).letter}</b> {directionText(store, row)}
        {world ? '' : ` · ${store.framing(row)} · ${sizeText(store.size(row))}`}
      </button>
      <pre>
        {around(store, row).map((line) => (
          <span key={line} class="wr-around">
            {showControlCharacters(line)}
            {'\n'}
          </span>
        ))}
        {text.join('\n')}
      </pre>
      {text.length < Math.ceil(store.size(row) / lines.columns) && text.length >= 40 ? (
        <span class="unseen">{t('timeline.cut')}</span>
      ) : null}
    </div>
  )
}
