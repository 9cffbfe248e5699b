/** @jsxImportSource preact */
/** The speaker's window: current and next step, notes, elapsed time, and commands. */

import { useComputed, useSignal } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { preferredLocale, setLocale, t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { InlineCode } from '../base/inline-code.tsx'
import { followTheme } from '../base/theme.ts'
import {
  channelOf,
  type Message,
  messageOf,
  type SpeakerCommand,
  type SpeakerState,
} from './speaker-channel.ts'

/** Shows the window of the presentation in the address: `?notes=ID&lang=de`. */
export async function showNotes(root: Element): Promise<void> {
  const asked = new URLSearchParams(location.search)
  await setLocale(preferredLocale([asked.get('lang') ?? '', ...navigator.languages]))
  followTheme()
  document.title = t('lessons.notes')
  const id = asked.get('notes') ?? ''
  render(<Notes id={id} />, root)
}

const keys: Readonly<Record<string, SpeakerCommand>> = {
  ArrowRight: 'next',
  PageDown: 'next',
  ' ': 'next',
  ArrowLeft: 'back',
  PageUp: 'back',
  a: 'auto',
  b: 'blank',
}

function Notes({ id }: { id: string }) {
  const speakerState = useSignal<SpeakerState | undefined>(undefined)
  const now = useSignal(Date.now())
  const channel = useRef<BroadcastChannel>(undefined)
  const send = (what: SpeakerCommand) =>
    channel.current?.postMessage({ command: what } satisfies Message)
  useEffect(() => {
    const open = channelOf(id)
    channel.current = open
    open.onmessage = ({ data }) => {
      const message = messageOf(data)
      if (message && 'speakerState' in message) speakerState.value = message.speakerState
    }
    open.postMessage({ hello: true } satisfies Message)
    const clock = setInterval(() => {
      now.value = Date.now()
    }, 1000)
    const listener = (event: KeyboardEvent) => {
      const what = keys[event.key]
      const onButton = event.target instanceof Element && event.target.closest('button')
      if (what === undefined || (event.key === ' ' && onButton)) return
      event.preventDefault()
      send(what)
    }
    addEventListener('keydown', listener)
    return () => {
      open.close()
      clearInterval(clock)
      removeEventListener('keydown', listener)
    }
  }, [id])
  const elapsed = useComputed(() => {
    const seconds = Math.max(
      0,
      Math.floor((now.value - (speakerState.value?.began ?? now.value)) / 1000),
    )
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  })
  const { value: state } = speakerState
  if (state === undefined) return <p class="loading">{t('lessons.notesWaiting')}</p>
  return (
    <main class="speaker">
      <header>
        <h1>{state.title}</h1>
        <span>{t('lessons.step', { step: state.step, steps: state.steps })}</span>
        <time>{elapsed}</time>
      </header>
      <h2>{t('lessons.now')}</h2>
      <p class="speaker-caption">
        <InlineCode text={state.caption} />
      </p>
      {state.note ? (
        <p class="speaker-note">
          <InlineCode text={state.note} />
        </p>
      ) : null}
      <h2>{t('lessons.following')}</h2>
      <p>
        <InlineCode text={state.next} />
      </p>
      <ul lang="en" translate={false}>
        {state.coming.map((line) => (
          <li key={line}>
            <code>{line}</code>
          </li>
        ))}
      </ul>
      <footer>
        <button type="button" disabled={state.step <= 1} onClick={() => send('back')}>
          <Icon name="back" /> {t('lessons.back')}
        </button>
        <button
          type="button"
          class="primary"
          disabled={state.step === state.steps}
          onClick={() => send('next')}
        >
          {t('lessons.next')} <Icon name="forward" />
        </button>
        <button type="button" aria-pressed={state.auto} onClick={() => send('auto')}>
          {t('lessons.auto')}
        </button>
        <button type="button" aria-pressed={state.blank} onClick={() => send('blank')}>
          {t('lessons.blank')}
        </button>
      </footer>
    </main>
  )
}
