/** @jsxImportSource preact */
/** The gateway's part of the dialog: joined pages, permissions, and what assistants used. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t, tag } from '../base/i18n.ts'
import { sizeText } from '../base/size.ts'
import { AddPage } from './add-page.tsx'
import { auditDialer, maxEntries } from './audit-log.ts'
import { connect } from './clients.ts'
import {
  type GatewayState,
  gatewayDialer,
  type JoinedPage,
  monitorStatus,
  startMonitoring,
} from './gateway.ts'
import { monitorPage } from './monitor.ts'
import { openConnection } from './open.ts'
import { Pause, UseTable } from './use-table.tsx'

export function GatewayPanel({ close }: { close(): void }) {
  useEffect(() => {
    void startMonitoring()
  }, [])
  const { value: how } = monitorStatus
  const state = how.is === 'open' ? how.state : undefined
  if (how.is === 'failed') return <Invite {...how} />
  if (state === undefined) {
    const why = how.is === 'connecting' && how.why
    return why ? (
      <p role="alert">{why}</p>
    ) : (
      <p role="status">{t('connections.gateway.connecting')}</p>
    )
  }
  return (
    <div class="connections-gateway stack">
      <Pages state={state} close={close} />
      <p class="quiet">{t('connections.gateway.monitorNote')}</p>
      <section class="connections-uses stack">
        <h3>{t('connections.audit.uses')}</h3>
        <p class="quiet">{t('connections.audit.about', { count: maxEntries })}</p>
        <UseTable />
        <p class="toolbar">
          <button
            type="button"
            data-audit
            onClick={() => {
              connect(auditDialer(startMonitoring))
              close()
            }}
          >
            {t('connections.audit.show')}
          </button>
        </p>
        <Pause until={state.paused} />
      </section>
      <Permissions state={state} />
    </div>
  )
}

/** Requests a link of the gateway, if the browser has no other credential. */
function Invite({ why, isUnpaired = false }: { why: string; isUnpaired?: boolean }) {
  const link = useSignal('')
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void startMonitoring(link.value)
      }}
    >
      <p role={isUnpaired ? 'status' : 'alert'}>{why}</p>
      <label class="field">
        {t('connections.gateway.link')}
        <input
          name="link"
          lang="en"
          autocomplete="off"
          spellcheck={false}
          required
          value={link.value}
          onInput={({ currentTarget }) => {
            link.value = currentTarget.value
          }}
        />
      </label>
      <button type="submit" class="primary">
        {t('connections.gateway.pair')}
      </button>
      <AddPage />
    </form>
  )
}

function Pages({ state, close }: { state: GatewayState; close(): void }) {
  const connectTo = (page: string) => {
    openConnection(gatewayDialer(page))
    close()
  }
  const monitor = (page: string) => {
    monitorPage(page)
    close()
  }
  return (
    <section class="stack">
      <h3>{t('connections.gateway.pages')}</h3>
      {state.pages.length === 0 ? <p>{t('connections.gateway.none')}</p> : null}
      <ul class="connections-pages">
        {state.pages.map((page) => (
          <li key={page.name} class="list-row">
            <PageFacts page={page} />
            <PageActions
              page={page.name}
              label={page.title || page.name}
              connect={connectTo}
              monitor={monitor}
            />
          </li>
        ))}
        <li class="list-row">
          <strong class="row-open">{t('connections.gateway.all')}</strong>
          <PageActions
            page=""
            label={t('connections.gateway.all')}
            connect={connectTo}
            monitor={monitor}
          />
        </li>
      </ul>
      <AddPage />
    </section>
  )
}

function PageFacts({ page }: { page: JoinedPage }) {
  const since = new Intl.DateTimeFormat(tag(), { timeStyle: 'short' }).format(page.since)
  return (
    <div class="row-open">
      <strong>{page.title || page.name}</strong> <code lang="en">{page.name}</code>{' '}
      {page.here ? (
        <span class="chip" data-is="good">
          {t('connections.gateway.since', { time: since })}
        </span>
      ) : (
        <span class="chip" data-is="warn">
          {t('connections.gateway.away')}
        </span>
      )}
      <br />
      <span class="quiet">
        <code lang="en">{page.origin}</code>{' '}
        {t('connections.gateway.readings', { count: page.reads, size: sizeText(page.bytes) })}
      </span>
    </div>
  )
}

interface PageActionsProps {
  page: string
  label: string
  connect(page: string): void
  monitor(page: string): void
}

function PageActions({ page, label, connect, monitor }: PageActionsProps) {
  return (
    <p class="row-acts">
      <button
        type="button"
        data-ask={page}
        aria-label={t('connections.gateway.connectPage', { page: label })}
        onClick={() => connect(page)}
      >
        {t('connections.gateway.connect')}
      </button>
      <button
        type="button"
        data-tap={page}
        aria-label={t('connections.gateway.monitorPage', { page: label })}
        onClick={() => monitor(page)}
      >
        {t('connections.gateway.monitor')}
      </button>
    </p>
  )
}

function Permissions({ state: { mayJoin, mayWatch, noToken } }: { state: GatewayState }) {
  const list = (origins: readonly string[]) => new Intl.ListFormat(tag()).format(origins)
  return (
    <section class="stack">
      <h3>{t('connections.gateway.permissions')}</h3>
      <ul>
        <li>{t('connections.gateway.mayJoin', { origins: list(mayJoin) })}</li>
        <li>{t('connections.gateway.mayWatch', { origins: list(mayWatch) })}</li>
        <li>{t(noToken ? 'connections.gateway.noToken' : 'connections.gateway.withToken')}</li>
      </ul>
    </section>
  )
}
