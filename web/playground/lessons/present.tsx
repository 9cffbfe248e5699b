/** @jsxImportSource preact */
/** Presents steps one by one, or the live messages: large, by keyboard or automatically. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { moveFocus } from '../base/focus.ts'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { InlineCode } from '../base/inline-code.tsx'
import { written } from '../base/keys.ts'
import { settings } from '../base/settings.ts'
import { selected } from '../base/state.ts'
import { clientName } from '../connections/names.ts'
import type { Naming } from '../timeline/diagram.ts'
import { Sequence } from '../timeline/sequence.tsx'
import { Failed } from './coach.tsx'
import { Payload } from './payload.tsx'
import type { Steps } from './player.ts'
import { readingTime } from './reading-time.ts'
import { advance, endScenario, lessonOf, running, startScenario } from './running.ts'

export function Present() {
  useEffect(() => {
    // During a lesson, P presents that lesson from its start.
    const taught = lessonOf(running.peek())
    if (taught) startScenario(taught.scenario, { learner: false })
    return () => {
      if (running.peek() && !lessonOf(running.peek())) endScenario()
    }
  }, [])
  const steps = running.value
  return steps ? <Presentation key={steps} steps={steps} /> : <Live />
}

function Live() {
  useKeys({ Escape: endScenario, F: fullScreen })
  return (
    <main class="present">
      <header class="toolbar">
        <h1>{t('lessons.live')}</h1>
        <Ways />
      </header>
      <div class="present-diagram">
        <Sequence large />
      </div>
    </main>
  )
}

const Ways = () => (
  <>
    <KeyButton keys="F" act={fullScreen}>
      {t('lessons.fullScreen')}
    </KeyButton>
    <KeyButton keys="Escape" act={endScenario}>
      {t('lessons.leave')}
    </KeyButton>
  </>
)

interface KeyButtonProps {
  keys: string
  act(): void
  pressed?: boolean
  children: ComponentChildren
}

const KeyButton = ({ keys, act, pressed, children }: KeyButtonProps) => (
  <button type="button" class="ghost" aria-pressed={pressed} aria-keyshortcuts={keys} onClick={act}>
    {children} <kbd>{keys.slice(0, 3)}</kbd>
  </button>
)

function Presentation({ steps }: { steps: Steps }) {
  const auto = useSignal(false)
  const blank = useSignal(false)
  const payload = useSignal(true)
  const title = steps.title()
  const stage = useRef<HTMLElement>(null)
  const shown = steps.shown.value
  const failure = steps.failure.value
  const caption = steps.caption(shown - 1)
  const atEnd = shown === steps.count || failure !== undefined
  const nextIsWanted = useRef(false)
  const toggle = (one: typeof auto) => () => {
    one.value = !one.peek()
  }
  const next = () => {
    const isPlaying = steps.busy.peek() && steps.shown.peek() > steps.played.peek()
    if (isPlaying) nextIsWanted.current = true
    else advance(steps)
  }
  const back = () => {
    nextIsWanted.current = false
    steps.back()
  }

  useLayoutEffect(() => moveFocus(stage.current), [])
  useLayoutEffect(() => {
    selected.value = undefined // the panel follows the steps
  }, [shown])
  useKeys({
    ArrowRight: next,
    PageDown: next,
    Space: next,
    ArrowLeft: back,
    PageUp: back,
    A: toggle(auto),
    B: toggle(blank),
    F: fullScreen,
    J: toggle(payload),
    Escape: endScenario,
  })
  useEffect(() => {
    // A key that is pressed while a step is played takes effect after it. Further ones are ignored: a presenter who
    // presses again because nothing happens does not skip a step.
    if (steps.busy.value || !nextIsWanted.current) return
    nextIsWanted.current = false
    advance(steps)
  })
  useEffect(() => {
    if (!auto.value || steps.busy.value) return
    if (atEnd) {
      auto.value = false
      return
    }
    const timer = setTimeout(next, readingTime(caption))
    return () => clearTimeout(timer)
  })

  return (
    <main class="present" ref={stage} tabIndex={-1} aria-label={title}>
      <header class="toolbar">
        <h1>{title}</h1>
        <span class="present-step">{t('lessons.step', { step: shown, steps: steps.count })}</span>
        <button type="button" disabled={shown <= 1} aria-keyshortcuts="ArrowLeft" onClick={back}>
          <Icon name="back" /> {t('lessons.back')}
        </button>
        <button
          type="button"
          class="primary"
          disabled={atEnd || steps.busy.value}
          aria-keyshortcuts="ArrowRight Space"
          onClick={next}
        >
          {t('lessons.next')} <Icon name="forward" />
        </button>
        <KeyButton keys="A" act={toggle(auto)} pressed={auto.value}>
          {t('lessons.auto')}
        </KeyButton>
        <KeyButton keys="B" act={toggle(blank)} pressed={blank.value}>
          {t('lessons.blank')}
        </KeyButton>
        <KeyButton keys="J" act={toggle(payload)} pressed={payload.value}>
          JSON
        </KeyButton>
        <Ways />
      </header>
      <div class="present-diagram">
        <Sequence large rows={() => steps.rows.value} naming={namingOf(steps)} />
        {payload.value ? <Payload steps={steps} caption={caption} /> : null}
      </div>
      <footer aria-live="polite">
        {failure ? <Failed failure={failure} /> : null}
        <p class="present-caption">
          <InlineCode text={caption} />
        </p>
      </footer>
      {blank.value ? (
        <button type="button" class="present-blank" onClick={toggle(blank)}>
          {t('lessons.back')}
        </button>
      ) : null}
    </main>
  )
}

/** Clients have the scenario's letters. */
function namingOf(steps: Steps): Naming {
  const clients = steps.clients.value
  return (connection) => {
    const name = clientName(connection)
    const at = clients.findIndex((session) => session.connection.id === connection)
    const letter = at < 0 ? name.letter : String.fromCharCode(65 + at)
    return { ...name, client: t('lessons.client', { letter }) }
  }
}

/**
 * Handles keys before the shell does: here Space shows the next step instead of pausing. Single letters can be
 * switched off, as everywhere.
 */
function useKeys(keys: Readonly<Record<string, () => void>>) {
  const current = useRef(keys)
  current.current = keys
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const key = written(event)
      const act = Object.hasOwn(current.current, key) ? current.current[key] : undefined
      if (act === undefined || event.repeat || event.isComposing) return
      const on = event.target as Element // keys have no other targets
      if (key.length === 1 && (on.matches('input') || !settings.peek().singleKeys)) return
      if (key === 'Space' && on.closest('button, a, input')) return // Space presses the button
      // The browser closes a menu and leaves full screen first.
      if (key === 'Escape' && document.querySelector(':fullscreen, :popover-open')) return
      event.preventDefault()
      event.stopPropagation()
      act()
    }
    addEventListener('keydown', listener, true)
    return () => removeEventListener('keydown', listener, true)
  }, [])
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen()
  else document.documentElement.requestFullscreen?.().catch(() => {}) // forbidden in some iframes
}
