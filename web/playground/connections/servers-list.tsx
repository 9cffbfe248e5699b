/** @jsxImportSource preact */
/** The stored servers, each with a switch and its state. Only the switch connects: none is on after a reload. */

import { useSignal } from '@preact/signals'
import { showControlCharacters } from '../base/control-characters.ts'
import { t } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'
import { settings } from '../base/settings.ts'
import { disconnect, sessions } from './clients.ts'
import { hostNeedingConsent } from './consent.ts'
import { dialerOf } from './dialer-of.ts'
import { openConnection } from './open.ts'
import { Consent } from './question.tsx'
import {
  learnName,
  maxName,
  nameServer,
  removeServer,
  type SavedServer,
  validServers,
} from './servers.ts'
import type { Dialer } from './transport.ts'

interface ServersProps {
  /** Puts an address into the form, to connect with headers or to diagnose it. */
  choose(server: SavedServer): void
}

export function Servers({ choose }: ServersProps) {
  const all = validServers(settings.value.servers)
  return all.length === 0 ? null : (
    <section class="stack">
      <h3>{t('connections.servers')}</h3>
      <ul class="connections-servers">
        {all.map((server) => (
          <Saved key={`${server.kind} ${server.url}`} server={server} choose={choose} />
        ))}
      </ul>
    </section>
  )
}

/** Kinds of dialers by kinds of addresses. */
const dialerKind: Readonly<Record<SavedServer['kind'], Dialer['kind']>> = {
  http: 'http',
  ws: 'ws',
  frame: 'frame',
}

function Saved({ server, choose }: ServersProps & { server: SavedServer }) {
  const { kind, url, name } = server
  const asking = useSignal(false)
  const own = sessions.value.filter(
    ({ connection: { dialer } }) => dialer.url === url && dialer.kind === dialerKind[kind],
  )
  const connection = own.at(-1)?.connection
  const state = connection?.state.value
  const isOn = state === 'open' || state === 'connecting'
  const shown = name || new URL(url).host
  const host = hostNeedingConsent(url)

  const close = () => {
    for (const session of own) disconnect(session)
  }
  const open = () => {
    close() // one that has ended
    const dialer = dialerOf(kind, url)
    if (typeof dialer !== 'string') learnName(kind, url, openConnection(dialer))
  }
  const toggle = () => {
    if (isOn) close()
    else if (host === undefined) open()
    else asking.value = true
  }
  return (
    <li class="list-row" data-server={url}>
      <div class="toolbar">
        <input
          type="checkbox"
          role="switch"
          aria-label={t('connections.agree', { host: shown })}
          checked={isOn || asking.value}
          aria-checked={isOn || asking.value}
          onChange={toggle}
        />
        <input
          class="quiet-field"
          name="server-name"
          aria-label={t('connections.serverName', { url })}
          maxLength={maxName}
          translate={false}
          value={shown}
          onChange={({ currentTarget: { value } }) => nameServer(server, value)}
        />
        <span class="connection-state" data-is={state} />
        {state ? <span class="quiet">{t(`shell.${state}`)}</span> : null}
        <IconButton
          name="trash"
          label={`${t('connections.remove')}: ${shown}`}
          onClick={() => removeServer(server)}
        />
      </div>
      <button type="button" class="plain" lang="en" onClick={() => choose(server)}>
        {url}
      </button>
      {connection?.reason.value ? (
        <p class="connections-hint">{showControlCharacters(connection.reason.value)}</p>
      ) : null}
      {asking.value && host !== undefined ? (
        <Consent question={{ host, proceed: open }} end={() => (asking.value = false)} />
      ) : null}
    </li>
  )
}
