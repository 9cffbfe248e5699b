/** @jsxImportSource preact */
/** The bar on top: who speaks to whom, in which revision, and the doors to everything else. */

import type { Session } from '../connections/session.ts'
import { isRevision, revisions } from '../protocol/revisions.ts'
import { type Locale, locale, localeNames, setLocale, t } from './i18n.ts'
import { setting } from './settings.ts'
import { active, dialog, disconnect, revision, sessions, side, speak } from './state.ts'
import { theme } from './theme.ts'

/** What was chosen by hand; `''`: what the browser asks for. */
export const chosenLocale = setting('locale', '')

export function Bar() {
  return (
    <header class="bar">
      <h1>{t('app.title')}</h1>
      <Lanes />
      <label>
        <span class="quiet">{t('app.revision')}</span>
        <select
          value={revision.value}
          onChange={({ currentTarget: { value } }) => {
            if (isRevision(value)) speak(value)
          }}
        >
          {revisions.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <button
        type="button"
        aria-pressed={side.value === 'lessons'}
        onClick={() => {
          side.value = side.value === 'lessons' ? 'explore' : 'lessons'
        }}
      >
        {t('app.lessons')}
      </button>
      <button type="button" onClick={() => (dialog.value = 'share')}>
        {t('app.share')}
      </button>
      <button
        type="button"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => (dialog.value = 'palette')}
      >
        {t('app.palette')}
      </button>
      <Looks />
    </header>
  )
}

function Lanes() {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div class="lanes" role="group" aria-label={t('app.clients')}>
      {sessions.value.map((session) => (
        <LaneButton key={session.lane.id} session={session} />
      ))}
      <button
        type="button"
        aria-label={t('app.connect')}
        onClick={() => (dialog.value = 'connect')}
      >
        +
      </button>
    </div>
  )
}

function LaneButton({ session }: { session: Session }) {
  const { lane, peer } = session
  const state = lane.state.value
  const title = peer.value?.title ?? peer.value?.name ?? lane.dialer.title
  const isActive = active.value === session
  return (
    <>
      <button
        type="button"
        aria-pressed={isActive}
        title={`${lane.dialer.title}${lane.reason.value ? `: ${lane.reason.value}` : ''}`}
        onClick={() => {
          active.value = session
          revision.value = session.revision.peek()
        }}
      >
        <span class="lane-state" data-is={state} />
        <span class="letter">{lane.letter}</span>
        <span class="name">{title}</span>
        {state === 'open' ? null : <span class="quiet">{t(`app.${state}`)}</span>}
      </button>
      {isActive && sessions.value.length > 1 ? (
        <button
          type="button"
          class="plain"
          aria-label={t('app.disconnect', { lane: `${lane.letter} ${title}` })}
          onClick={() => disconnect(session)}
        >
          ×
        </button>
      ) : null}
    </>
  )
}

function Looks() {
  return (
    <>
      <select
        aria-label={t('app.theme')}
        value={theme.value}
        onChange={({ currentTarget: { value } }) => {
          theme.value = value
        }}
      >
        <option value="system">{t('app.themeSystem')}</option>
        <option value="light">{t('app.themeLight')}</option>
        <option value="dark">{t('app.themeDark')}</option>
      </select>
      <select
        aria-label={t('app.language')}
        value={locale()}
        onChange={({ currentTarget: { value } }) => {
          chosenLocale.value = value
          setLocale(value as Locale)
        }}
      >
        {Object.entries(localeNames).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </>
  )
}
