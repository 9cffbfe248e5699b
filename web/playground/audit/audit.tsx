/** @jsxImportSource preact */
/** The dialog *Access and audit*: who used what of the gateway's pages, and each request that needed a right. */

import { signal, useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import type { DialogProps } from '../base/dialog-props.ts'
import { t } from '../base/i18n.ts'
import { Icon, IconButton } from '../base/icon.tsx'
import { saveFile } from '../base/save-file.ts'
import type { AuditEntry } from '../connections/audit-log.ts'
import type * as parts from '../connections/connect-parts.ts'
import { csv, jsonLines } from './files.ts'
import { Filters } from './filters.tsx'
import { everything, type Selection, select, uses } from './model.ts'
import { Pause } from './pause.tsx'
import { RequestTable, UseTable } from './tables.tsx'

/** It stays while the dialog is closed. */
const selection = signal<Selection>(everything)

/** The part of the gateway is a chunk of its own, which the dialog to connect has, too. */
type Gateway = Pick<
  typeof parts,
  'auditEntries' | 'gatewayState' | 'Invite' | 'maxEntries' | 'monitorStatus' | 'startMonitoring'
>

export const auditOf =
  (gateway: Gateway): ComponentType<DialogProps> =>
  ({ close }) => <Audit gateway={gateway} close={close} />

function Audit({ gateway, close }: DialogProps & { gateway: Gateway }) {
  const { Invite, gatewayState, maxEntries } = gateway
  useEffect(() => {
    void gateway.startMonitoring()
  }, [])
  const held = useSignal(false)
  const entries = useEntries(gateway.auditEntries, held.value)
  const { value: status } = gateway.monitorStatus
  return (
    <div class="audit-box">
      <header>
        <h2>{t('audit.title')}</h2>
        <IconButton name="close" label={t('shell.close')} onClick={close} />
      </header>
      <p class="quiet">{t('audit.about', { count: maxEntries })}</p>
      {status.is === 'failed' ? <Invite {...status} /> : null}
      {status.is === 'connecting' ? (
        <p role="status">{status.why ?? t('connections.gateway.connecting')}</p>
      ) : null}
      {gatewayState.value ? <Pause until={gatewayState.value.paused} /> : null}
      {entries.length > 0 ? (
        <Found entries={entries} held={held} />
      ) : status.is === 'open' ? (
        <p>{t('audit.none')}</p>
      ) : null}
    </div>
  )
}

/** The entries, at most once for each frame of the screen; those of before while `held`. */
function useEntries(all: Gateway['auditEntries'], held: boolean): readonly AuditEntry[] {
  const shown = useSignal(all.peek())
  useEffect(() => {
    if (held) return
    let frame = 0
    const stop = all.subscribe(() => {
      frame ||= requestAnimationFrame(() => {
        frame = 0
        shown.value = all.peek()
      })
    })
    return () => {
      cancelAnimationFrame(frame)
      stop()
    }
  }, [held])
  return shown.value
}

interface FoundProps {
  entries: readonly AuditEntry[]
  held: { value: boolean }
}

function Found({ entries, held }: FoundProps) {
  const selected = select(entries, selection.value)
  const inOrder = () => selected.toReversed()
  return (
    <>
      <section class="audit-uses">
        <h3>{t('audit.uses')}</h3>
        <UseTable
          uses={uses(entries)}
          show={(assistant, app) => {
            selection.value = { ...everything, assistant, app }
          }}
        />
      </section>
      <section>
        <h3>{t('audit.requests')}</h3>
        <Filters entries={entries} selection={selection} />
        <div class="audit-row">
          <span role="status">{t('audit.count', { count: selected.length })}</span>
          <button
            type="button"
            class="ghost"
            aria-pressed={!held.value}
            onClick={() => {
              held.value = !held.value
            }}
          >
            <Icon name="follow" /> {t('timeline.follow')}
          </button>
          <button
            type="button"
            class="ghost"
            data-export="jsonl"
            onClick={() => saveFile('audit.jsonl', 'application/x-ndjson', jsonLines(inOrder()))}
          >
            <Icon name="export" /> JSON
          </button>
          <button
            type="button"
            class="ghost"
            data-export="csv"
            onClick={() => saveFile('audit.csv', 'text/csv', csv(inOrder()))}
          >
            <Icon name="export" /> CSV
          </button>
        </div>
        {selected.length === 0 ? <p>{t('audit.noMatch')}</p> : <RequestTable entries={selected} />}
      </section>
    </>
  )
}
