/** @jsxImportSource preact */
/** The bar: clients, revision, and buttons for dialogs and settings. */

import { type Locale, locale, localeNames, setLocale, t } from '../base/i18n.ts'
import { embedded, setting } from '../base/settings.ts'
import { dialog, side } from '../base/state.ts'
import { theme } from '../base/theme.ts'
import { active, disconnect, revision, sessions, setRevision } from '../connections/clients.ts'
import type { Session } from '../connections/session.ts'
import { isRevision, revisions } from '../protocol/revisions.ts'

/** The language that the user chose; `''`: the language of the browser. */
export const chosenLocale = setting('locale', '')

export function Bar() {
  return (
    <header class="bar">
      <h1>{t('shell.title')}</h1>
      <Clients />
      <label>
        <span class="quiet">{t('shell.revision')}</span>
        <select
          class="revision"
          value={revision.value}
          onChange={({ currentTarget: { value } }) => {
            if (isRevision(value)) setRevision(value)
          }}
        >
          {revisions.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <button
        type="button"
        data-command="lessons"
        aria-pressed={side.value === 'lessons'}
        onClick={() => {
          side.value = side.value === 'lessons' ? 'explore' : 'lessons'
        }}
      >
        {t('shell.lessons')}
      </button>
      <button type="button" data-command="share" onClick={() => (dialog.value = 'share')}>
        {t('shell.share')}
      </button>
      <button
        type="button"
        data-command="palette"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => (dialog.value = 'palette')}
      >
        {t('shell.palette')}
      </button>
      <Looks />
    </header>
  )
}

function Clients() {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div class="clients" role="group" aria-label={t('shell.clients')}>
      {sessions.value.map((session) => (
        <ClientButton key={session.connection.id} session={session} />
      ))}
      {embedded ? null : (
        <button
          type="button"
          data-command="connect"
          aria-label={t('shell.connect')}
          onClick={() => (dialog.value = 'connect')}
        >
          +
        </button>
      )}
    </div>
  )
}

function ClientButton({ session }: { session: Session }) {
  const { connection, peer } = session
  const state = connection.state.value
  const title = peer.value?.title ?? peer.value?.name ?? connection.dialer.title
  const isActive = active.value === session
  return (
    <>
      <button
        type="button"
        aria-pressed={isActive}
        title={`${connection.dialer.title}${connection.reason.value ? `: ${connection.reason.value}` : ''}`}
        onClick={() => {
          active.value = session
          revision.value = session.revision.peek()
        }}
      >
        <span class="connection-state" data-is={state} />
        <span class="letter">{connection.letter}</span>
        <span class="name">{title}</span>
        {state === 'open' ? null : <span class="quiet">{t(`shell.${state}`)}</span>}
      </button>
      {isActive && sessions.value.length > 1 ? (
        <button
          type="button"
          class="plain"
          aria-label={t('shell.disconnect', { client: `${connection.letter} ${title}` })}
          onClick={() => disconnect(session)}
        >
          ×
        </button>
      ) : null}
    </>
  )
}

/** Theme, language and shortcuts, in a popover. */
function Looks() {
  return (
    <>
      <button type="button" popovertarget="looks" aria-label={t('shell.settings')}>
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path
            d="M2 4h5m4 0h3M2 12h3m4 0h5M9 2v4M7 10v4"
            fill="none"
            stroke="currentColor"
            stroke-width="1.6"
            stroke-linecap="round"
          />
        </svg>
      </button>
      <div id="looks" popover="auto" class="looks">
        <label>
          <span>{t('shell.theme')}</span>
          <select
            value={theme.value}
            onChange={({ currentTarget: { value } }) => {
              theme.value = value
            }}
          >
            <option value="system">{t('shell.themeSystem')}</option>
            <option value="light">{t('shell.themeLight')}</option>
            <option value="dark">{t('shell.themeDark')}</option>
          </select>
        </label>
        <label>
          <span>{t('shell.language')}</span>
          <select
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
        </label>
        <button type="button" onClick={() => (dialog.value = 'keys')}>
          {t('shell.keys')}
        </button>
      </div>
    </>
  )
}
