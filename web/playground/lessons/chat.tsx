/** @jsxImportSource preact */
/** A chat with a scripted assistant: each turn with the messages that it caused, which link to the timeline. */

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { InlineCode } from '../base/inline-code.tsx'
import { duration } from '../base/numbers.ts'
import { show } from '../base/state.ts'
import { store } from '../messages/log.ts'
import { directionText, outcome } from '../timeline/format.ts'
import { locate } from '../timeline/view.ts'
import { Failed, NextLesson } from './coach.tsx'
import type { Player } from './player.ts'
import { readingTime } from './reading-time.ts'
import { advance, endScenario, startScenario } from './running.ts'

/** Shows a running scenario for which `isChat` holds, in a column of 300 px and more. */
export function Chat({ player }: { player: Player }) {
  const { scenario, steps } = player
  const auto = useSignal(!matchMedia('(prefers-reduced-motion: reduce)').matches)
  const turns = useRef<HTMLDivElement>(null)
  const shown = player.shown.value
  const played = player.played.value
  const busy = player.busy.value
  const failure = player.failure.value
  const ended = shown === steps.length && !busy
  const latest = player.caption(shown - 1)
  const runs = auto.value && !busy && !ended && !failure
  useEffect(() => {
    if (!runs) return
    const timer = setTimeout(() => advance(player), readingTime(latest) / 2)
    return () => clearTimeout(timer)
  }, [runs, shown, player])
  useLayoutEffect(() => {
    const list = turns.current
    if (list === null) return
    list.scrollTop = list.scrollHeight
    list.nextElementSibling?.scrollIntoView({ block: 'nearest' }) // where the column scrolls instead
  }, [shown, busy])
  const again = () => startScenario(scenario, { learner: true })
  return (
    <section class="chat fill" aria-label={player.title()}>
      <header>
        <h2>{player.title()}</h2>
        <p class="quiet">{t('lessons.scripted')}</p>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <div role="log" tabIndex={0} aria-label={t('lessons.chat')} ref={turns}>
        <ol>
          {steps.slice(0, shown).map(({ caption, speaker }, i) => (
            <li key={caption} class={`chat-${speaker ?? 'event'}`}>
              {speaker ? (
                <span class="quiet">
                  {t(speaker === 'user' ? 'lessons.you' : 'lessons.assistant')}
                </span>
              ) : null}
              {speaker === 'user' ? null : <Messages rows={player.stepRows.value[i] ?? []} />}
              {i < played ? (
                <p>
                  <InlineCode text={player.caption(i)} />
                </p>
              ) : failure ? null : (
                <p class="chat-writes" aria-hidden="true" />
              )}
            </li>
          ))}
          {failure ? (
            <li>
              <Failed failure={failure} />
            </li>
          ) : null}
        </ol>
      </div>
      <footer class="toolbar pane-bar">
        {failure ? (
          <button type="button" class="primary" onClick={again}>
            {t('lessons.again')}
          </button>
        ) : ended ? (
          <>
            <NextLesson after={scenario.id} />
            <button type="button" class="ghost" onClick={again}>
              {t('lessons.again')}
            </button>
          </>
        ) : (
          <>
            <button type="button" class="primary" disabled={busy} onClick={() => advance(player)}>
              {t('lessons.next')}
            </button>
            <button
              type="button"
              class="ghost"
              aria-pressed={auto.value}
              onClick={() => {
                auto.value = !auto.peek()
              }}
            >
              {t('lessons.auto')}
            </button>
          </>
        )}
        <button
          type="button"
          class="ghost"
          onClick={() => {
            startScenario(scenario, { learner: false })
            show({ presenting: true })
          }}
        >
          {t('lessons.present')}
        </button>
        <button type="button" class="ghost" onClick={endScenario}>
          {t('lessons.leave')}
        </button>
      </footer>
    </section>
  )
}

/** Maximum number of listed messages: the last turn also gets the notifications after the end. */
const maxMessages = 6 // messages

/** The requests, notifications and events of a turn; responses are the outcome of their requests. */
function Messages({ rows }: { rows: readonly number[] }) {
  store.changed.value // outcomes arrive later
  const own = rows
    .filter((row) => !['result', 'error'].includes(store.kind(row)))
    .slice(0, maxMessages)
  if (own.length === 0) return null
  return (
    <ul>
      {own.map((row) => {
        const response = store.partner(row)
        const said = response < 0 ? row : response
        return (
          <li key={row}>
            <button
              type="button"
              class="chat-call toolbar"
              data-calls={row}
              data-kind={store.kind(said)}
              onClick={() => {
                locate(row)
                show({ pane: 'timeline' })
              }}
            >
              <span class="quiet">{directionText(store, row)}</span>
              <code class="wide" lang="en" translate={false}>
                {store.method(row) || store.raw(row)} {store.target(row)}
              </code>
              <span class="quiet">
                {outcome(store, said)} {duration(store.latency(row))}
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
