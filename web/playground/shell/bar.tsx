/** @jsxImportSource preact */
/** The bar: clients, revision, and buttons for dialogs and settings. */

import { type Locale, locale, localeNames, setLocale, t } from '../base/i18n.ts'
import { Icon, IconButton } from '../base/icon.tsx'
import { chosenLocale, embedded } from '../base/settings.ts'
import { show } from '../base/state.ts'
import { StripMenu, useStrip } from '../base/strip.tsx'
import { theme } from '../base/theme.ts'
import { active, disconnect, revision, sessions, setRevision } from '../connections/clients.ts'
import type { Session } from '../connections/session.ts'
import { isRevision, revisions } from '../protocol/revisions.ts'
import { barCommands } from './bar-commands.ts'

export function Bar() {
  return (
    <header class="bar">
      <h1>
        <img src="icon.svg" alt="" width="20" height="20" /> <span>{t('shell.title')}</span>
      </h1>
      <Clients />
      <label class="bar-revision">
        <span class="unseen">{t('shell.revision')}</span>
        <select
          class="revision quiet-field"
          title={t('shell.revision')}
          value={revision.value}
          disabled={active.value?.connection.dialer.readOnly}
          onChange={({ currentTarget: { value } }) => {
            if (isRevision(value)) setRevision(value)
          }}
        >
          {revisions.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <span class="bar-acts">
        {barCommands.map(({ id, title, icon, keys, when, isOn, run }) =>
          when?.() === false ? null : (
            <button
              key={id}
              type="button"
              class="ghost"
              data-command={id.replace('shell.', '')}
              aria-pressed={isOn?.()}
              aria-keyshortcuts={keys?.replace(/Mod(.*)/, 'Control$1 Meta$1')}
              title={t(title)}
              onClick={run}
            >
              {icon && <Icon name={icon} />} <span class="bar-text">{t(title)}</span>
            </button>
          ),
        )}
        <Looks />
      </span>
    </header>
  )
}

function Clients() {
  const { ref, overflows } = useStrip<HTMLDivElement>()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div class="clients" role="group" aria-label={t('shell.clients')}>
      <div class="strip" ref={ref}>
        {sessions.value.map((session) => (
          <ClientButton key={session.connection.id} session={session} />
        ))}
      </div>
      {overflows.value && (
        <StripMenu
          label={t('shell.clients')}
          items={sessions.value}
          current={active.value}
          name={(session) => <ClientName session={session} />}
          choose={(session) => (active.value = session)}
        />
      )}
      {embedded ? null : (
        <IconButton
          name="plus"
          label={t('shell.connect')}
          data-command="connect"
          onClick={() => show({ dialog: 'connect' })}
        />
      )}
    </div>
  )
}

function ClientButton({ session }: { session: Session }) {
  const { connection } = session
  const isActive = active.value === session
  return (
    <>
      <button
        type="button"
        aria-pressed={isActive}
        title={`${connection.dialer.title}${connection.reason.value ? `: ${connection.reason.value}` : ''}`}
        onClick={() => (active.value = session)}
      >
        <ClientName session={session} />
      </button>
      {isActive && sessions.value.length > 1 ? (
        <IconButton
          name="close"
          label={t('shell.disconnect', { client: `${connection.letter} ${session.title}` })}
          onClick={() => disconnect(session)}
        />
      ) : null}
    </>
  )
}

/** State, letter and name of a client, with its revision if another client has the same name. */
function ClientName({ session }: { session: Session }) {
  const { connection } = session
  const state = connection.state.value
  const { title } = session
  const hasTwin = sessions.value.some((other) => other !== session && other.title === title)
  return (
    <>
      <span class="connection-state" data-is={state} />
      <span class="letter">{connection.letter}</span>
      <span class="name">{title}</span>
      {hasTwin ? (
        <span class="quiet" translate={false}>
          {session.revision.value}
        </span>
      ) : null}
      {state === 'open' ? null : <span class="quiet">{t(`shell.${state}`)}</span>}
    </>
  )
}

/** Theme, language and shortcuts, in a popover. */
function Looks() {
  return (
    <>
      <IconButton name="settings" label={t('shell.settings')} popovertarget="looks" />
      <div id="looks" popover="auto" class="menu looks">
        <label class="field beside">
          {t('shell.theme')}
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
        <label class="field beside">
          {t('shell.language')}
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
        <button type="button" onClick={() => show({ dialog: 'keys' })}>
          {t('shell.keys')}
        </button>
        {embedded ? null : (
          <a href="../docs/" target="_blank" rel="noreferrer">
            {t('shell.docs')}
          </a>
        )}
      </div>
    </>
  )
}
