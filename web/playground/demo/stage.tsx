/** @jsxImportSource preact */
/**
 * The stage: a small page of the demo, its client, and the messages between them. Each new message travels along
 * the line between the two, while its row in the timeline is marked.
 */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { demoPaused } from '../base/state.ts'
import { active } from '../connections/clients.ts'
import { store } from '../messages/log.ts'
import { type Demo, demo } from './demo.ts'
import { shownAt } from './simulation.ts'
import { follow, staged, watched } from './stage-messages.ts'
import { StagePage } from './stage-page.tsx'

export function Stage() {
  const there = useSignal<Demo | undefined>(undefined)
  useEffect(() => {
    let ended = false
    demo().then((started) => {
      if (!ended) there.value = started
    })
    const stop = follow()
    return () => {
      ended = true
      stop()
    }
  }, [there])
  return (
    <div class="stage">
      {there.value === undefined ? (
        <p class="quiet">{t('demo.starting')}</p>
      ) : (
        <StagePage demo={there.value} />
      )}
      <Line />
      <Client />
      <button
        type="button"
        class="ghost stage-pause"
        aria-pressed={demoPaused.value}
        onClick={() => {
          shownAt.value = 0 // who resumes the changes wants to see one
          demoPaused.value = !demoPaused.peek()
        }}
      >
        <Icon name={demoPaused.value ? 'play' : 'pause'} /> {t('demo.pause')}
      </button>
    </div>
  )
}

/** The connection, with the newest message on its way. A click selects that message. */
function Line() {
  const { row } = staged.value
  const inward = row !== undefined && store.direction(row) === 'in' // to the client, which is below
  return (
    <div class="stage-line" data-to={row === undefined ? undefined : inward ? 'client' : 'page'}>
      {row === undefined ? null : (
        <>
          <i key={row} class="stage-dot" />
          <button type="button" lang="en" translate={false} onClick={() => actions.inspect(row)}>
            <Icon name={inward ? 'follow' : 'export'} /> {store.method(row)}
          </button>
        </>
      )}
    </div>
  )
}

/** What the client knows of the note: its last copy, and whether that is still current. */
function Client() {
  const session = active.value
  if (session === undefined) return null
  const { text, stale } = staged.value
  const read = async () => {
    const { row } = await session.request('resources/read', { uri: watched })
    if (row >= 0) actions.inspect(row)
  }
  return (
    <section class="stage-client" aria-labelledby="stage-client">
      <h3 id="stage-client" class="toolbar">
        <span class="letter">{session.connection.letter}</span> {t('demo.client')}
        <code class="last" lang="en" translate={false}>
          {watched}
        </code>
      </h3>
      <p class="stage-copy" data-stale={stale}>
        {text === undefined ? t('demo.unread') : <span translate={false}>{text}</span>}
      </p>
      <p class="stage-state toolbar">
        {text === undefined ? null : (
          <span class="chip" data-is={stale ? 'warn' : 'good'}>
            {t(stale ? 'demo.outdated' : 'demo.current')}
          </span>
        )}
        <button type="button" class="last" onClick={read}>
          {t(text === undefined ? 'explore.readShort' : 'demo.readAgain')}
        </button>
      </p>
    </section>
  )
}
