/** @jsxImportSource preact */
/** The lesson's panel above the composer: the task, the result, and navigation. */

import { useLayoutEffect, useRef } from 'preact/hooks'
import { moveFocus } from '../base/focus.ts'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { InlineCode } from '../base/inline-code.tsx'
import { hintOf } from './hint.ts'
import type { Turn } from './learner-turn.ts'
import { lessonIds, loadScenario } from './library.ts'
import type { Failure, Player } from './player.ts'
import {
  advance,
  compose,
  endScenario,
  introduces,
  lessonOf,
  running,
  startScenario,
} from './running.ts'

export function Coach() {
  const player = lessonOf(running.value)
  return player ? <Running key={player.scenario.id} player={player} /> : null
}

function Running({ player }: { player: Player }) {
  const { scenario, steps } = player
  const shown = player.shown.value
  const turn = player.turn.value
  const failure = player.failure.value
  const ended = shown === steps.length && !player.busy.value && !failure
  const looksBack = shown < player.played.value
  const first = introduces(steps, shown - 2) ? shown - 2 : shown - 1
  return (
    <section class="coach notice" aria-label={player.title()}>
      <header class="head">
        <strong>{player.title()}</strong>
        <span class="quiet">{t('lessons.step', { step: shown, steps: steps.length })}</span>
        <button type="button" class="plain" onClick={endScenario}>
          {t('lessons.leave')}
        </button>
      </header>
      <div aria-live="polite">
        {steps.slice(first, shown).map(({ caption }, i) => (
          <p key={caption}>
            {steps[first - 1]?.learner && !failure && i === 0 ? (
              <span class="coach-right">
                <Icon name="check" /> {t('lessons.right')}{' '}
              </span>
            ) : null}
            <InlineCode text={player.caption(first + i)} />
          </p>
        ))}
      </div>
      {turn && !looksBack ? <HintView turn={turn} /> : null}
      {failure ? <Failed failure={failure} /> : null}
      <div class="toolbar">
        <button type="button" disabled={shown <= 1} onClick={() => player.back()}>
          {t('lessons.back')}
        </button>
        {failure ? (
          <button
            type="button"
            class="primary"
            onClick={() => startScenario(scenario, { learner: true })}
          >
            {t('lessons.again')}
          </button>
        ) : turn && !looksBack ? (
          <button type="button" onClick={() => compose(player, turn.solution())}>
            {t('lessons.showMe')}
          </button>
        ) : ended ? (
          <NextLesson after={scenario.id} focus />
        ) : (
          <NextButton key={shown} disabled={player.busy.value && !looksBack} player={player} />
        )}
      </div>
    </section>
  )
}

/** Focused when it appears, so that a lesson needs only Enter and Ctrl-Enter. */
function NextButton({ player, disabled }: { player: Player; disabled: boolean }) {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (!disabled) moveFocus(button.current)
  }, [disabled])
  return (
    <button
      ref={button}
      type="button"
      class="primary"
      disabled={disabled}
      onClick={() => advance(player)}
    >
      {t('lessons.next')}
    </button>
  )
}

function HintView({ turn }: { turn: Turn }) {
  const off = turn.off.value
  const hint = off && hintOf(off)
  return (
    <p class="coach-hint" role="status">
      {hint ? <InlineCode text={t(hint.key, hint.params)} /> : null}
    </p>
  )
}

export function Failed({ failure }: { failure: Failure }) {
  const { line, difference, problem } = failure
  return (
    <div class="coach-failed" role="alert">
      <p>{difference ? t('lessons.differentMessage') : t('lessons.missingMessage')}</p>
      {difference ? (
        <p>
          <InlineCode text={t('lessons.hintValue', hintOf(difference).params)} />
        </p>
      ) : null}
      <p>
        <code lang="en" translate={false}>
          {problem ?? line}
        </code>
      </p>
    </div>
  )
}

/** @param props.focus - only for what the user's own action ended */
export function NextLesson({ after, focus = false }: { after: string; focus?: boolean }) {
  const next = lessonIds[lessonIds.indexOf(after as never) + 1]
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (focus) moveFocus(button.current)
  }, [])
  const proceed = async () => {
    if (next === undefined) endScenario()
    else startScenario(await loadScenario(next), { learner: true })
  }
  return (
    <button ref={button} type="button" class="primary" onClick={proceed}>
      {next === undefined ? t('lessons.leave') : t('lessons.nextLesson')}
    </button>
  )
}
