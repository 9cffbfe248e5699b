/** @jsxImportSource preact */
/** Presents a scenario step by step, large, by keyboard or automatically. */

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { moveFocus } from '../base/focus.ts'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { InlineCode } from '../base/inline-code.tsx'
import { presenting, presentingLive, selected } from '../base/state.ts'
import { clientName } from '../connections/names.ts'
import type { Naming } from '../timeline/diagram.ts'
import { Sequence } from '../timeline/sequence.tsx'
import { captionIn } from './caption.ts'
import { Failed } from './coach.tsx'
import { Live } from './live.tsx'
import { Payload } from './payload.tsx'
import type { Player } from './player.ts'
import { Choice } from './present-choice.tsx'
import { fullScreen, useKeys } from './present-keys.ts'
import { readingTime } from './reading-time.ts'
import { advance, endScenario, running, startScenario } from './running.ts'

// The next presentation begins with the choice. An effect of a component might not have run before it is removed.
presenting.subscribe((on) => {
  if (!on) presentingLive.value = false
})

export function Present() {
  const player = running.value
  useEffect(() => {
    // During a lesson, P presents that lesson from its start.
    const taught = running.peek()
    if (taught?.learner) startScenario(taught.scenario, { learner: false })
    return () => {
      if (running.peek()?.learner === false) endScenario()
    }
  }, [])
  if (player) return <Presentation key={player} player={player} />
  return presentingLive.value ? <Live /> : <Choice />
}

function Presentation({ player }: { player: Player }) {
  const { scenario, steps } = player
  const auto = useSignal(false)
  const blank = useSignal(false)
  const payload = useSignal(true)
  const title = captionIn(scenario, 'title') || scenario.info.title || scenario.id
  const stage = useRef<HTMLElement>(null)
  const shown = player.shown.value
  const failure = player.failure.value
  const caption =
    player.caption?.(shown - 1) ??
    captionIn(scenario, steps[shown - 1]?.caption ?? '', player.values)
  const atEnd = shown === steps.length || failure !== undefined
  const nextIsWanted = useRef(false)
  const commands = {
    next: () => {
      const isPlaying = player.busy.peek() && player.shown.peek() > player.played.peek()
      if (isPlaying) nextIsWanted.current = true
      else advance(player)
    },
    back: () => {
      nextIsWanted.current = false
      player.back()
    },
    auto: () => {
      auto.value = !auto.peek()
    },
    blank: () => {
      blank.value = !blank.peek()
    },
    payload: () => {
      payload.value = !payload.peek()
    },
  }

  useLayoutEffect(() => moveFocus(stage.current), [])
  useLayoutEffect(() => {
    selected.value = undefined // the panel follows the steps
  }, [shown])
  useKeys({
    ArrowRight: commands.next,
    PageDown: commands.next,
    Space: commands.next,
    ArrowLeft: commands.back,
    PageUp: commands.back,
    A: commands.auto,
    B: commands.blank,
    F: fullScreen,
    J: commands.payload,
    Escape: endScenario,
  })
  useEffect(() => {
    // A key that is pressed while a step is played takes effect after it. Further ones are ignored: a presenter who
    // presses again because nothing happens does not skip a step.
    if (player.busy.value || !nextIsWanted.current) return
    nextIsWanted.current = false
    advance(player)
  })
  useEffect(() => {
    if (!auto.value || player.busy.value) return
    if (atEnd) {
      auto.value = false
      return
    }
    const timer = setTimeout(commands.next, readingTime(caption))
    return () => clearTimeout(timer)
  })

  return (
    <main class="present" ref={stage} tabIndex={-1} aria-label={title}>
      <header>
        <h1>{title}</h1>
        <span class="present-step">{t('lessons.step', { step: shown, steps: steps.length })}</span>
        <button
          type="button"
          disabled={shown <= 1}
          aria-keyshortcuts="ArrowLeft"
          onClick={commands.back}
        >
          <Icon name="back" /> {t('lessons.back')}
        </button>
        <button
          type="button"
          class="primary"
          disabled={atEnd || player.busy.value}
          aria-keyshortcuts="ArrowRight Space"
          onClick={commands.next}
        >
          {t('lessons.next')} <Icon name="forward" />
        </button>
        <button
          type="button"
          class="ghost"
          aria-pressed={auto.value}
          aria-keyshortcuts="A"
          onClick={commands.auto}
        >
          {t('lessons.auto')} <kbd>A</kbd>
        </button>
        <button
          type="button"
          class="ghost"
          aria-pressed={blank.value}
          aria-keyshortcuts="B"
          onClick={commands.blank}
        >
          {t('lessons.blank')} <kbd>B</kbd>
        </button>
        <button
          type="button"
          class="ghost"
          aria-pressed={payload.value}
          aria-keyshortcuts="J"
          onClick={commands.payload}
        >
          JSON <kbd>J</kbd>
        </button>
        <button type="button" class="ghost" aria-keyshortcuts="F" onClick={fullScreen}>
          {t('lessons.fullScreen')} <kbd>F</kbd>
        </button>
        <button type="button" class="ghost" aria-keyshortcuts="Escape" onClick={endScenario}>
          {t('lessons.leave')} <kbd>Esc</kbd>
        </button>
      </header>
      <div class="present-diagram">
        <Sequence large rows={() => player.rows.value} naming={namingOf(player)} />
        {payload.value ? <Payload player={player} caption={caption} /> : null}
      </div>
      <footer aria-live="polite">
        {failure ? <Failed failure={failure} /> : null}
        <p class="present-caption">
          <InlineCode text={caption} />
        </p>
      </footer>
      {blank.value ? (
        <button type="button" class="present-blank" onClick={commands.blank}>
          {t('lessons.back')}
        </button>
      ) : null}
    </main>
  )
}

/** Clients have the scenario's letters. */
function namingOf(player: Player): Naming {
  const clients = player.clients.value
  return (connection) => {
    const name = clientName(connection)
    const at = clients.findIndex((session) => session.connection.id === connection)
    const letter = at < 0 ? name.letter : String.fromCharCode(65 + at)
    return { ...name, client: t('lessons.client', { letter }) }
  }
}
